import type { Issue } from "@posthaste/contracts";
import type { z } from "zod";

/** The most faults that are listed: a body may have hundreds of thousands. */
export const MAX_FOUND = 10_000;

const MAX_NAME_LENGTH = 100;

const KINDS: Readonly<Record<string, string>> = {
  string: "must be a string",
  number: "must be a number",
  int: "must be an integer",
  boolean: "must be true or false",
  array: "must be an array",
  object: "must be an object",
};

/**
 * Error map for parsing a body: says the faults that the schema itself has no words for. Pass it to
 * `safeParse` as `{ error: sayFault }`.
 */
export function sayFault(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  return issue.input === undefined ? "is required" : KINDS[issue.expected] ?? "is not valid";
}

/**
 * Lists the faults that a schema found in a body, up to {@linkcode MAX_FOUND}: one for each field,
 * unknown ones by name.
 */
export function bodyIssues(error: z.core.$ZodError): Issue[] {
  const issues: Issue[] = [];
  for (const issue of error.issues) {
    const room = MAX_FOUND - issues.length;
    if (room <= 0) break;
    if (issue.code !== "unrecognized_keys") {
      issues.push({ path: pathOf(issue.path), message: issue.message });
      continue;
    }
    for (const key of issue.keys.slice(0, room)) {
      issues.push({ path: pathOf([...issue.path, key]), message: "is not a known field" });
    }
  }
  return issues;
}

/** Writes a path as `to.3.attachments.0.id`; of a name longer than 100 characters, the beginning. */
export function pathOf(path: readonly PropertyKey[]): string {
  return path.map((part) => {
    const name = String(part);
    return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  }).join(".");
}
