import type { z } from "zod";
import { Problem } from "./problem.ts";

/**
 * Reads a body, or the parameters of a query, by a schema.
 *
 * @throws {Problem} `invalid_request` with every fault by its path.
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
  throw new Problem(
    "invalid_request",
    `Invalid input: ${where}${first?.message ?? "is not valid"}`,
    {
      issues,
    },
  );
}
