/** A mail waited for a connection and got none. Its server, which may be in good health, was offered nothing of it. */
export class UntriedError extends Error {
  override readonly name = "UntriedError";
  /** For metrics and spans: `errorType` of `libs/telemetry` reads it. */
  readonly errorType = "canceled";

  /** @param reason The end of a sentence about the pool of connections. */
  constructor(host: string, reason: string) {
    super(`Cannot send through "${host}": ${reason}`);
  }
}
