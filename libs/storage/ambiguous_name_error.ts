/** Several accounts have the name that was to tell one of them. */
export class AmbiguousNameError extends Error {
  override readonly name = "AmbiguousNameError";
  /** Ids of those that were found, oldest first. */
  readonly ids: readonly string[];

  constructor(name: string, ids: readonly string[]) {
    super(`Cannot choose the account: ${ids.length} have the name "${name}"`);
    this.ids = ids;
  }
}
