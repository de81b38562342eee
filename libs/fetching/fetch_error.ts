/**
 * The reason of a failed fetch.
 *
 * - `forbidden`: its address may not be reached, or is no web address.
 * - `refused`: its server refused, and would refuse again.
 * - `unusable`: the content is no accepted image.
 * - `too_large`: it has too many bytes or pixels.
 * - `unavailable`: the server could not be reached, or failed; a later attempt may succeed.
 */
export type FetchFault = "forbidden" | "refused" | "unusable" | "too_large" | "unavailable";

/** A failed fetch. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  readonly fault: FetchFault;
  /** The reason, for the author of the template. It contains no address that a name resolved to. */
  readonly reason: string;

  constructor(url: string, { fault, reason, cause }: {
    fault: FetchFault;
    reason: string;
    cause?: unknown;
  }) {
    super(`Cannot fetch "${url.slice(0, 500)}": ${reason}`, cause === undefined ? {} : { cause });
    this.fault = fault;
    this.reason = reason;
  }

  /** Returns whether a later attempt may succeed. */
  get retryable(): boolean {
    return this.fault === "unavailable";
  }
}
