/**
 * Why a host is not reached.
 *
 * - `forbidden`: its name means an address, or the request a port, that customers may not reach.
 * - `not_found`: its name means no address.
 * - `unavailable`: the name could not be looked up now; later it may.
 */
export type EgressFault = "forbidden" | "not_found" | "unavailable";

/** A host that a customer named and that is not reached. The message names no address. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly fault: EgressFault;

  constructor(message: string, { fault, cause }: { fault: EgressFault; cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause });
    this.fault = fault;
  }
}
