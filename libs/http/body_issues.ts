import { isIssueCode, type Issue, type IssueCode } from "@posthaste/contracts";
import type { z } from "zod";

/** The most faults to list: a body may have hundreds of thousands. */
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
 * Options for parsing a body for {@linkcode bodyIssues}: pass them to `safeParse`. They contain words for
 * faults that the schema has no words for, and keep the input, by which a missing field is recognised.
 */
export const BODY_PARSING = { error: describeFault, reportInput: true } as const;

function describeFault(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  return issue.input === undefined ? "is required" : KINDS[issue.expected] ?? "is not valid";
}

/**
 * Lists the faults of a body according to a schema, up to {@linkcode MAX_FOUND}: one for each field, unknown
 * ones by name.
 *
 * @param error The error of a body that was parsed with {@linkcode BODY_PARSING}.
 */
export function bodyIssues(error: z.core.$ZodError): Issue[] {
  const issues: Issue[] = [];
  for (const issue of error.issues) {
    const remaining = MAX_FOUND - issues.length;
    if (remaining <= 0) break;
    if (issue.code !== "unrecognized_keys") {
      issues.push({ path: pathOf(issue.path), code: codeOf(issue), message: issue.message });
      continue;
    }
    for (const key of issue.keys.slice(0, remaining)) {
      const path = pathOf([...issue.path, key]);
      issues.push({ path, code: "unknown_field", message: "is not a known field" });
    }
  }
  return issues;
}

function codeOf(issue: z.core.$ZodIssue): IssueCode {
  if (issue.code === "custom") {
    const code: unknown = issue.params?.["code"];
    if (isIssueCode(code)) return code;
  } else if (issue.code === "too_big" || issue.code === "too_small") {
    const isLarge = issue.code === "too_big";
    if (issue.origin === "array") return isLarge ? "too_many" : "empty";
    if (issue.origin === "string") return isLarge ? "too_long" : "empty";
  }
  return issue.input === undefined ? "required" : "wrong_type";
}

/** Writes a path as `to.3.attachments.0.id`; of a name longer than 100 characters, the beginning. */
export function pathOf(path: readonly PropertyKey[]): string {
  return path.map((part) => {
    const name = String(part);
    return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  }).join(".");
}
