import { ERROR_STATUS, type ErrorCode, type Issue } from "@posthaste/contracts";

/** What a refusal may tell beside its code and sentence. */
export interface HttpErrorOptions extends ErrorOptions {
  /** The faults of the request, by path. */
  issues?: Issue[];
  /** Seconds after which the same request may succeed. */
  retryAfter?: number;
  /** Methods that the path does answer to. */
  allow?: string[];
  /** Content codings that a body may have. */
  acceptEncoding?: string;
  /** Whether the connection is closed after the answer. */
  close?: boolean;
  /** Where the path itself names what the code is about. @default {ERROR_STATUS} */
  status?: 404;
}

/**
 * A request that is not done, for a reason from the closed list of codes. The message is for the
 * caller; `cause` is for the log alone.
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: string[] | undefined;
  readonly acceptEncoding: string | undefined;
  readonly close: boolean;
  readonly status: number;

  constructor(code: ErrorCode, message: string, options: HttpErrorOptions = {}) {
    const { issues, retryAfter, allow, acceptEncoding, close = false, ...others } = options;
    const { status = ERROR_STATUS[code], ...rest } = others;
    super(message, rest);
    this.code = code;
    this.issues = issues;
    this.retryAfter = retryAfter;
    this.allow = allow;
    this.acceptEncoding = acceptEncoding;
    this.close = close;
    this.status = status;
  }

  /** How traces and metrics sort it, where its cause does not tell. */
  get errorType(): "unavailable" | "timeout" | undefined {
    if (this.code === "unavailable") return "unavailable";
    return this.code === "render_timeout" ? "timeout" : undefined;
  }
}
