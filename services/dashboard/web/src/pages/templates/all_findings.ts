import type { LintFinding, PreviewView } from "../../../../interface/templates.ts";

const RANK = { error: 0, warning: 1, info: 2 };
const WORDS = { error: "error", warning: "warning", info: "hint" };

/** Returns faults and advice for a source in one list, the most serious first. */
export function allFindings(
  { errors, findings }: Pick<PreviewView, "errors" | "findings">,
): LintFinding[] {
  const faults = errors.map((error): LintFinding => ({
    ...error,
    severity: "error",
    rule: "template_fault",
  }));
  const isNew = (finding: LintFinding) =>
    !faults.some(({ message, line }) => message === finding.message && line === finding.line);
  return [...faults, ...findings.filter(isNew)]
    .sort((a, b) => RANK[a.severity] - RANK[b.severity] || (a.line ?? 0) - (b.line ?? 0));
}

/** Formats the number of findings of a severity: `2 warnings`; null if there are none. */
export function countFindings(
  findings: readonly LintFinding[],
  severity: LintFinding["severity"],
): string | null {
  const count = findings.filter((finding) => finding.severity === severity).length;
  return count === 0 ? null : `${count} ${WORDS[severity]}${count === 1 ? "" : "s"}`;
}
