import { HttpError } from "../api.ts";
import { capitalize } from "./capitalize.ts";
import { showError } from "./show_outcome.ts";

/** The part of a form that shows faults at their fields. */
interface FormWithFields {
  setFieldError(path: string, message: string): void;
  values: Record<string, unknown>;
}

/** Shows the server's faults at the fields that they name, and the rest as a notification. */
export function showIssues(form: FormWithFields, error: unknown): void {
  const issues = error instanceof HttpError ? error.issues : [];
  const known = issues.filter(({ path }) => path in form.values);
  for (const { path, message } of known) {
    form.setFieldError(path, capitalize(message));
  }
  if (known.length === 0) showError(error);
}
