import type { TemplateFault } from "@posthaste/contracts";
import type { LintFinding } from "../../../../interface/templates.ts";
import type { SourceMark } from "../../editor/source_mark.ts";

/** A place to show to the author. */
export interface SourcePlace {
  part: LintFinding["part"];
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
}

/**
 * Returns a preview's findings in one part, with their places; findings about the whole, and those in
 * partials, are left out.
 */
export function sourceMarks(
  part: LintFinding["part"],
  { errors, findings }: { errors: readonly TemplateFault[]; findings: readonly LintFinding[] },
): SourceMark[] {
  const isHere = (found: { part: string; partial?: string | undefined }) =>
    found.part === part && found.partial === undefined;
  const faults = errors.filter(isHere)
    .map(({ line, column, message }) => ({ line, column, message, severity: "error" as const }));
  const noted = findings.filter((finding) => isHere(finding) && finding.line !== null)
    .map(({ line, column, message, severity }) => ({
      line: line ?? 1,
      column: column ?? 1,
      message,
      severity,
    }));
  const isNew = (mark: SourceMark) =>
    !faults.some(({ line, message }) => line === mark.line && message === mark.message);
  return [...faults, ...noted.filter(isNew)];
}
