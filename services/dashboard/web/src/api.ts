import type { DashboardErrorCode, ErrorBody } from "../../interface/error_code.ts";
import type { SessionView } from "../../interface/session.ts";
import { accountInPath } from "./account_path.ts";

/** An error of the server, with a message for people. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: DashboardErrorCode | "offline";
  readonly issues: NonNullable<ErrorBody["issues"]>;

  constructor(
    code: DashboardErrorCode | "offline",
    message: string,
    issues: ErrorBody["issues"] = [],
  ) {
    super(message);
    this.code = code;
    this.issues = issues;
  }
}

let askIdentity: () => Promise<boolean> = () => Promise.resolve(false);
/** While the dialog is open, all requests that need a confirmation wait for the same answer. */
let asking: Promise<boolean> | undefined;

/** The function that asks the person to confirm their identity; it returns whether they did. */
export function keepIdentityQuestion(ask: () => Promise<boolean>): void {
  askIdentity = ask;
}

let csrfToken = "";
let accountId = accountInPath();

/** Sends all further requests for the account of this session, and all changes with its token. */
export function keepSession(session: Pick<SessionView, "csrfToken" | "account">): void {
  ({ csrfToken, account: { id: accountId } } = session);
}

/** Sends all further requests for an account that the address does not name. */
export function openAccount(id: string): void {
  accountId = id;
}

/**
 * Returns the address of a resource that the browser itself opens, in the account that the page
 * shows.
 */
export function addressOf(path: string): string {
  const query = accountId === null ? "" : `?account=${encodeURIComponent(accountId)}`;
  return `/api${path}${query}`;
}

/** Options of {@linkcode request}. */
export interface RequestOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of a body. */
  file?: File | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request to the dashboard's interface. If the server requires a confirmed identity, asks
 * the person and repeats the request.
 *
 * @throws {HttpError} The server's error, or that it cannot be reached.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { method = "GET", body, file, signal } = options;
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      credentials: "same-origin",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(file === undefined ? {} : { "content-type": file.type || "application/octet-stream" }),
        ...(method === "GET" ? {} : { "x-csrf-token": csrfToken }),
        ...(accountId === null ? {} : { "x-account": accountId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(file === undefined ? {} : { body: file }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new HttpError("offline", "The dashboard cannot be reached");
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  if ((answer as Partial<ErrorBody> | undefined)?.code === "confirm_identity") {
    asking ??= askIdentity().finally(() => asking = undefined);
    if (await asking) return await request(path, options);
  }
  const { error, code, issues } = (answer ?? {}) as Partial<ErrorBody>;
  throw new HttpError(code ?? "internal", error ?? "Unexpected error", issues);
}
