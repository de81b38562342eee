/** The document was changed since it was read. */
export class RevisionConflictError extends Error {
  override readonly name = "RevisionConflictError";

  constructor(kind: string) {
    super(`Cannot change the ${kind}: someone else changed it`);
  }
}
