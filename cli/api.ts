import { z } from "zod";
import { CommandError, usageError } from "./command_error.ts";
import { EXIT, type ExitCode } from "./exit_code.ts";

/** A client of the HTTP interface for the commands. */
export interface Api {
  /** @throws {CommandError} */
  get(path: string): Promise<unknown>;
  /** @throws {CommandError} */
  post(path: string, body: string, headers?: Record<string, string>): Promise<unknown>;
  /** Returns the bytes of a file. @throws {CommandError} */
  download(path: string): Promise<Buffer>;
}

const TIMEOUT_MS = 60_000;

const errorSchema = z.object({
  error: z.string(),
  code: z.string().optional(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

const REMEDIES: Readonly<Record<string, string>> = {
  missing_scope: 'create a token with the missing scope: "posthaste tokens create --scopes …"',
  unknown_template: '"posthaste templates list" shows the templates',
  unknown_integration: '"posthaste integrations list" shows the integrations',
  unknown_pdf_template: '"posthaste templates list" shows the PDF templates and their ids',
  sender_not_allowed: '"posthaste integrations list" shows the senders of each integration',
  unknown_route: 'check that the URL ends with "/v1"',
  not_found: "check that the URL is the dashboard's, which has /manage/v1",
  plan_outdated: "run the command again",
  draft_conflict: "publish or discard the drafts in the dashboard, or use --overwrite-drafts",
  alias_missing: "give the templates an alias in the dashboard (Rename, change alias)",
  no_answer: "try again; name a part with --kind or --alias if it is too much",
  idempotency_mismatch: "use a new --idempotency-key for each new request",
  too_many_requests: "try again soon",
  unavailable: "try again; the same --idempotency-key never sends twice",
  render_timeout: "check that the renderer service runs",
};

/** Address of the HTTP interface. */
export interface ApiOptions {
  /** Ends with `/v1`. */
  url: string;
  token: string;
  /** What the operator can do when it does not answer. */
  remedy: string;
}

/** Opens the HTTP interface. */
export function openApi({ url, token, remedy }: ApiOptions): Api {
  const base = readUrl(url);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError("Cannot use the access token: it is empty or contains blanks or line breaks");
  }
  async function load(path: string, init: RequestInit): Promise<Buffer> {
    const headers = { ...init.headers, authorization: `Bearer ${token}` };
    let response: Response;
    let bytes: Buffer;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      response = await fetch(base + path, { ...init, headers, signal, redirect: "manual" });
      bytes = Buffer.from(await response.arrayBuffer());
    } catch (cause) {
      throw new CommandError(`Cannot reach "${base}": ${describeCause(cause)}`, {
        exitCode: EXIT.failed,
        remedy,
        cause,
      });
    }
    if (!response.ok) throw refusal(response, bytes.toString());
    return bytes;
  }
  async function request(path: string, init: RequestInit): Promise<unknown> {
    const answer = parse((await load(path, init)).toString());
    if (answer !== undefined) return answer;
    throw notTheInterface(base);
  }
  return {
    get: (path) => request(path, { method: "GET" }),
    download: (path) => load(path, { method: "GET" }),
    post: (path, body, headers = {}) =>
      request(path, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      }),
  };
}

function readUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return url.replace(/\/+$/, "");
  throw usageError(`Cannot use the URL "${url}": it must start with http:// or https://`);
}

function refusal({ status, headers, url }: Response, text: string): CommandError {
  const body = errorSchema.safeParse(parse(text)).data;
  if (body === undefined) {
    return status >= 500
      ? new CommandError(`Cannot complete the request: the server returned ${status}`, {
        exitCode: EXIT.failed,
      })
      : notTheInterface(url);
  }
  const retryAfter = headers.get("retry-after");
  return new CommandError(body.error === "Unauthenticated" ? UNAUTHENTICATED : body.error, {
    exitCode: exitCodeOf(status, body.code),
    ...(/^\d+$/.test(retryAfter ?? "") ? { retryAfterMs: Number(retryAfter) * 1000 } : {}),
    issues: body.issues?.map(({ path, message }) => ({ at: path, message })),
    remedy: status === 401
      ? 'check whether it was revoked or has expired; create one with "posthaste tokens create"'
      : retryAfter === null
      ? REMEDIES[body.code ?? ""]
      : `try again in ${retryAfter} s`,
  });
}

const UNAUTHENTICATED = "Unauthenticated: the access token is not valid";

function exitCodeOf(status: number, code: string | undefined): ExitCode {
  if (status === 404 && code !== "unknown_route") return EXIT.notFound;
  if (status === 429 || status >= 500 || code === "unknown_route") return EXIT.failed;
  return EXIT.refused;
}

function notTheInterface(url: string): CommandError {
  return new CommandError(
    `Cannot read the response of "${url}": it is not the Posthaste HTTP interface`,
    {
      exitCode: EXIT.failed,
      remedy: 'set the URL of the HTTP interface; it ends with "/v1"',
    },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeCause(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
  if (!(cause instanceof Error)) return message;
  const { code } = cause as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" ? "connection refused" : cause.message || code || message;
}
