/**
 * A mail was not tried: it waited for a connection and got none, or this process interrupted it. Its server, which may be
 * in good health, has accepted nothing of it, and its attempt has no register.
 */
export class UntriedError extends Error {
  override readonly name = "UntriedError";
  /** For metrics and spans: `errorType` of `libs/telemetry` reads it. */
  readonly errorType = "canceled";

  /** @param reason The end of a sentence about the pool of connections. */
  constructor(host: string, reason: string) {
    super(`Cannot send through "${host}": ${reason}`);
  }
}
