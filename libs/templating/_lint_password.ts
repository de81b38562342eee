import type { DraftSource } from "@posthaste/contracts";
import { type Found, WHOLE } from "./lint_finding.ts";
import { nearest } from "./_nearest.ts";

/** Checks the variable whose value opens a PDF. */
export function lintPassword(
  { page, variables, sample }: Pick<DraftSource, "page" | "variables" | "sample">,
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
    const known = new Set([...variables.map((variable) => variable.name), ...Object.keys(sample)]);
    // A name that the sample has is no slip: it lacks only its declaration.
    const guess = known.has(name) ? undefined : nearest(name, known);
    const hint = guess === undefined ? "" : `: did you mean "${guess}"?`;
    const message = `The variable "${name}", the password of the PDF, is not declared${hint}`;
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
