/**
 * Why something was not fetched.
 *
 * - `forbidden`: its address may not be reached, or is none of the web.
 * - `refused`: its server says no; it will again.
 * - `unusable`: it came, and is no image that is taken.
 * - `too_large`: it has too many bytes or pixels.
 * - `unavailable`: it could not be reached, or its server is in trouble: another time it may do.
 */
export type FetchFault = "forbidden" | "refused" | "unusable" | "too_large" | "unavailable";

/** Something was not fetched. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  readonly fault: FetchFault;
  /** Why, for the author of the template: it names no address that a name was resolved to. */
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

  /** Whether it may work another time. */
  get retryable(): boolean {
    return this.fault === "unavailable";
  }
}
