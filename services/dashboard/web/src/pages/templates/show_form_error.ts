import { HttpError } from "../../api.ts";
import { showError } from "../../parts/show_outcome.ts";

/** Returns why a form was refused: at its fields where they are named, else as a notification. */
export function showFormError(
  error: unknown,
  form: { values: object; setFieldError: (name: never, message: string) => void },
): void {
  if (!(error instanceof HttpError)) return showError(error);
  const known = error.issues.filter(({ path }) => Object.hasOwn(form.values, path));
  for (const { path, message } of known) form.setFieldError(path as never, message);
  if (error.code === "name_taken" && known.length === 0 && "alias" in form.values) {
    return form.setFieldError("alias" as never, error.message);
  }
  if (known.length === 0) showError(error);
}
