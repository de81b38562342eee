/** A name that must be unique is in use. */
export class NameTakenError extends Error {
  override name = "NameTakenError";

  constructor(kind: string, name: string) {
    super(`Cannot create ${kind} "${name}": the name is taken`);
  }
}
