/** Several accounts have the name by which one was requested. */
export class AmbiguousNameError extends Error {
  override readonly name = "AmbiguousNameError";
  /** Ids of the accounts found, oldest first. */
  readonly ids: readonly string[];

  constructor(name: string, ids: readonly string[]) {
    super(`Cannot choose the account: ${ids.length} have the name "${name}"`);
    this.ids = ids;
  }
}
