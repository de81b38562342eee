/**
 * The reason why a host is not reached.
 *
 * - `forbidden`: customers may not reach the address that its name resolves to, or the port.
 * - `not_found`: its name resolves to no address.
 * - `unavailable`: the name cannot be resolved now; later it may.
 */
export type EgressFault = "forbidden" | "not_found" | "unavailable";

/** A host of a customer that is not reached. The message contains no address. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly fault: EgressFault;

  constructor(message: string, { fault, cause }: { fault: EgressFault; cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause });
    this.fault = fault;
  }
}
