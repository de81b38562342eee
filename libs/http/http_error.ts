import type { Issue } from "@posthaste/contracts";

/** Codes that this library throws. Every edge has each of them, or a code of its own for it. */
export type CommonErrorCode =
  | "invalid_json"
  | "invalid_request"
  | "unauthenticated"
  | "missing_scope"
  | "unknown_route"
  | "method_not_allowed"
  | "request_timeout"
  | "payload_too_large"
  | "unsupported_media_type"
  | "too_many_requests"
  | "headers_too_large"
  | "internal"
  | "unavailable";

/** One fault of a request, in the form that an edge shows. */
export type ShownIssue = Pick<Issue, "path" | "message">;

/** Data of an error besides its code and message. */
export interface HttpErrorOptions<Shown extends ShownIssue = Issue> extends ErrorOptions {
  /** The faults of the request, by path. */
  issues?: Shown[] | undefined;
  /** Seconds after which the same request may succeed. */
  retryAfter?: number | undefined;
  /** Methods that the path supports. */
  allow?: string[] | undefined;
  /** Content codings that a body may have. */
  acceptEncoding?: string | undefined;
  /** Whether the connection is closed after the answer. */
  close?: boolean | undefined;
  /** Set if the path itself names the missing object. @default the status of the code */
  status?: 404 | undefined;
}

const TIMEOUT_CODES: ReadonlySet<string> = new Set(["render_timeout", "no_answer"]);

/**
 * A refused request, with a code from the closed list of its edge. The message is for the caller; `cause` is
 * only for the log. An edge binds the class to its list:
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

  /** Its type in traces and metrics, if its cause has none. */
  get errorType(): "unavailable" | "timeout" | undefined {
    if (this.code === "unavailable") return "unavailable";
    return TIMEOUT_CODES.has(this.code) ? "timeout" : undefined;
  }
}
