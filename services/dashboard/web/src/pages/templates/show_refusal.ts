import { ApiProblem } from "../../api.ts";
import { showProblem } from "../../parts/show_outcome.ts";

/** Returns why a form was refused: at its fields where they are named, else as a notification. */
export function showRefusal(
  problem: unknown,
  form: { values: object; setFieldError: (name: never, message: string) => void },
): void {
  if (!(problem instanceof ApiProblem)) return showProblem(problem);
  const known = problem.issues.filter(({ path }) => Object.hasOwn(form.values, path));
  for (const { path, message } of known) form.setFieldError(path as never, message);
  if (problem.code === "name_taken" && known.length === 0 && "alias" in form.values) {
    return form.setFieldError("alias" as never, problem.message);
  }
  if (known.length === 0) showProblem(problem);
}
