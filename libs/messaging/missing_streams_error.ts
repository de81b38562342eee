/** The broker lacks streams: nobody has set it up, or its disk is new. */
export class MissingStreamsError extends Error {
  override name = "MissingStreamsError";

  constructor(names: readonly string[]) {
    super(`Cannot use the broker: streams are missing: ${names.join(", ")}`);
  }
}
