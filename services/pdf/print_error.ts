import type { PrintErrorCode } from "@posthaste/contracts";

/** The fields of a `PrintError`. */
export interface PrintErrorInit {
  /** Name of the job, for the log. */
  name: string;
  code: PrintErrorCode;
  /** The reason for the author of the template, without internals and final period. */
  reason: string;
  cause?: unknown;
}

/**
 * A PDF could not be made. `message` is for the log; `reason` is for the author of the template.
 */
export class PrintError extends Error {
  override readonly name = "PrintError";
  readonly code: PrintErrorCode;
  readonly reason: string;

  constructor({ name, code, reason, cause }: PrintErrorInit) {
    super(`Cannot print ${JSON.stringify(name)}: ${reason}`, { cause });
    this.code = code;
    this.reason = reason;
  }

  /** Whether the same document may print at another time, or on another machine. */
  get retryable(): boolean {
    return this.code === "crashed" || this.code === "unavailable" || this.code === "aborted";
  }
}
