import { RenderError } from "./render_error.ts";
import { InvalidTemplateError, type TemplateError } from "./template_error.ts";

/** Returns the error of calls to a closed sandbox. */
export function closedError(): RenderError {
  return new RenderError("closed", "Cannot fill the template: the sandbox is closed");
}

/** Returns the error of a failed call, from a worker's report. */
export function callError(failed: { name: string; message: string; errors?: unknown }): Error {
  return failed.name === "InvalidTemplateError"
    ? new InvalidTemplateError(failed.errors as TemplateError[])
    : new RenderError("error", failed.message);
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
