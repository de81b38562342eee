import type { Issue } from "@posthaste/contracts";

/** Codes that this library throws. Every edge has each of them, or a code of its own for it. */
export type CommonErrorCode =
  | "invalid_json"
  | "invalid_request"
  | "unknown_route"
  | "method_not_allowed"
  | "request_timeout"
  | "payload_too_large"
  | "unsupported_media_type"
  | "too_many_requests"
  | "headers_too_large"
  | "internal"
  | "unavailable";

/** One fault of a request, as an edge shows it. */
export type ShownIssue = Pick<Issue, "path" | "message">;

/** What an error has beside its code and message. */
export interface HttpErrorOptions<Shown extends ShownIssue = Issue> extends ErrorOptions {
  /** The faults of the request, by path. */
  issues?: Shown[] | undefined;
  /** Seconds after which the same request may succeed. */
  retryAfter?: number | undefined;
  /** Methods that the path does answer to. */
  allow?: string[] | undefined;
  /** Content codings that a body may have. */
  acceptEncoding?: string | undefined;
  /** Whether the connection is closed after the answer. */
  close?: boolean | undefined;
  /** Where the path itself names what the code is about. @default the status of the code */
  status?: 404 | undefined;
}

const TIMEOUT_CODES: ReadonlySet<string> = new Set(["render_timeout", "no_answer"]);

/**
 * A request that is not done, for a reason from the closed list of codes of its edge. The message is for
 * the caller; `cause` is for the log alone. An edge binds the class to its list:
 *
 * ```ts
 * export const HttpError = Base<ErrorCode, Issue>;
 * export type HttpError = Base<ErrorCode, Issue>;
 * ```
 */
export class HttpError<
  Code extends string = CommonErrorCode,
  Shown extends ShownIssue = Issue,
> extends Error {
  override readonly name = "HttpError";
  readonly code: Code;
  readonly issues: Shown[] | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: string[] | undefined;
  readonly acceptEncoding: string | undefined;
  readonly close: boolean;
  readonly status: 404 | undefined;

  constructor(code: NoInfer<Code>, message: string, options: HttpErrorOptions<Shown> = {}) {
    const { issues, retryAfter, allow, acceptEncoding, close = false, status, ...rest } = options;
    super(message, rest);
    this.code = code;
    this.issues = issues;
    this.retryAfter = retryAfter;
    this.allow = allow;
    this.acceptEncoding = acceptEncoding;
    this.close = close;
    this.status = status;
  }

  /** How traces and metrics sort it, where its cause does not say. */
  get errorType(): "unavailable" | "timeout" | undefined {
    if (this.code === "unavailable") return "unavailable";
    return TIMEOUT_CODES.has(this.code) ? "timeout" : undefined;
  }
}
