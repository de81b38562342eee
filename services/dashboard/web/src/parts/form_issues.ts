import { HttpError } from "../api.ts";
import { showError } from "./show_outcome.ts";

/** The part of a form that shows faults at their fields. */
interface FormWithFields {
  setFieldError(path: string, message: string): void;
  values: Record<string, unknown>;
}

/** Shows what the server refused at the fields that it names, and all else as a notification. */
export function showIssues(form: FormWithFields, error: unknown): void {
  const issues = error instanceof HttpError ? error.issues : [];
  const known = issues.filter(({ path }) => path in form.values);
  for (const { path, message } of known) {
    form.setFieldError(path, `${message.charAt(0).toUpperCase()}${message.slice(1)}`);
  }
  if (known.length === 0) showError(error);
}
