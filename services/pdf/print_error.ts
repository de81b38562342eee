/** The closed list of reasons why a PDF was not made. */
export type PrintErrorCode =
  /** The document took longer than the time limit, twice. The same document will do so again. */
  | "timeout"
  /** The HTML, the number of pages or the PDF is over its limit. */
  | "too_large"
  /** The page options or the document cannot be printed as they are. */
  | "invalid"
  /** The document requests an address that it may not load. */
  | "blocked"
  /** The page of an invoice does not show the totals of its XML. */
  | "totals_differ"
  /** No font has a glyph for a character of the text. */
  | "missing_glyphs"
  /** The browser died or hung under this document more than once. */
  | "crashed"
  /** The browser does not start, or is shutting down. The document is not the cause. */
  | "unavailable"
  /** The caller's signal ended the wait. */
  | "aborted";

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
