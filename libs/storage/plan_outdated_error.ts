/** Something has changed since its change was planned. Nothing was changed. */
export class PlanOutdatedError extends Error {
  override readonly name = "PlanOutdatedError";

  constructor() {
    super("Cannot change the templates: one of them was changed meanwhile");
  }
}
