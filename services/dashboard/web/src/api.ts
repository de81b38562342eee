import type { ProblemBody, ProblemCode } from "../../interface/problem.ts";
import type { SessionView } from "../../interface/session.ts";
import { accountInPath } from "./account_path.ts";

/** What the server refused, in words for the person at the browser. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly code: ProblemCode | "offline";
  readonly issues: NonNullable<ProblemBody["issues"]>;

  constructor(code: ProblemCode | "offline", message: string, issues: ProblemBody["issues"] = []) {
    super(message);
    this.code = code;
    this.issues = issues;
  }
}

let askIdentity: () => Promise<boolean> = () => Promise.resolve(false);
/** While somebody is asked, everything that needs to know waits for the same answer. */
let asking: Promise<boolean> | undefined;

/** Keeps what asks anyone who is at the browser to show that it is them; it gives whether they did. */
export function keepIdentityQuestion(ask: () => Promise<boolean>): void {
  askIdentity = ask;
}

let csrfToken = "";
let accountId = accountInPath();

/** Has every request from now on be about the account of this session, and every change carry its token. */
export function keepSession(session: Pick<SessionView, "csrfToken" | "account">): void {
  ({ csrfToken, account: { id: accountId } } = session);
}

/** Returns the address of something that the browser itself opens, of the account that the page shows. */
export function addressOf(path: string): string {
  const query = accountId === null ? "" : `?account=${encodeURIComponent(accountId)}`;
  return `/api${path}${query}`;
}

/** Options of {@linkcode request}. */
export interface RequestOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * Asks the dashboard's interface. What it does for nobody else is done once the person has shown that it
 * is them.
 *
 * @throws {ApiProblem} What it refused, or that it cannot be reached.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { method = "GET", body, signal } = options;
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      credentials: "same-origin",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "GET" ? {} : { "x-csrf-token": csrfToken }),
        ...(accountId === null ? {} : { "x-account": accountId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiProblem("offline", "The dashboard cannot be reached");
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  if ((answer as Partial<ProblemBody> | undefined)?.code === "confirm_identity") {
    asking ??= askIdentity().finally(() => asking = undefined);
    if (await asking) return await request(path, options);
  }
  const { error, code, issues } = (answer ?? {}) as Partial<ProblemBody>;
  throw new ApiProblem(code ?? "internal", error ?? "Unexpected error", issues);
}
