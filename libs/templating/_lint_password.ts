import type { DraftSource } from "@posthaste/contracts";
import type { Found } from "./lint_finding.ts";

const WHOLE = { part: "html" as const, line: null, column: null };

/** Checks the variable whose value opens a PDF. */
export function lintPassword(
  { page, variables }: Pick<DraftSource, "page" | "variables">,
): Found[] {
  const path = page?.passwordVariable;
  if (path === undefined) return [];
  const found: Found[] = [];
  if (page?.conformance !== undefined) {
    const message = "PDF/A forbids passwords, and nobody could open this PDF in an archive";
    found.push({ ...WHOLE, rule: "password_in_archive", message });
  }
  const name = passwordName(path);
  const declared = variables.find((variable) => variable.name === name);
  if (declared === undefined) {
    const message = `The variable "${name}", the password of the PDF, is not declared`;
    found.push({ ...WHOLE, rule: "password_undeclared", message });
  } else if (declared.default !== undefined && declared.default !== null) {
    const message = `The variable "${name}", the password of the PDF, has a default`;
    found.push({ ...WHOLE, rule: "password_default", message });
  }
  return found;
}

/** Returns the name of the variable that has the password in a field. */
export function passwordName(path: string): string {
  return path.split(".")[0] ?? path;
}
