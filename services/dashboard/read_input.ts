import type { z } from "zod";
import { HttpError } from "./http_error.ts";

/**
 * Reads a body, or the parameters of a query, by a schema.
 *
 * @throws {HttpError} `invalid_request` with every fault by its path.
 */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.infer<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  const [first] = issues;
  const where = first?.path ? `"${first.path}" ` : "";
  throw new HttpError(
    "invalid_request",
    `Invalid input: ${where}${first?.message ?? "is not valid"}`,
    {
      issues,
    },
  );
}
