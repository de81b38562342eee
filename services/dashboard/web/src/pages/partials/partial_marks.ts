import type { LintFinding, PreviewView } from "../../../../interface/templates.ts";
import type { SourceMark } from "../../editor/source_mark.ts";
import { allFindings } from "../templates/all_findings.ts";

/** Returns the findings of a preview that have a place in a partial. */
export function partialMarks(
  name: string,
  view: Pick<PreviewView, "errors" | "findings"> | null,
): SourceMark[] {
  if (view === null) return [];
  const isHere = (found: LintFinding) => found.partial === name && found.line !== null;
  return allFindings(view).filter(isHere).map(({ line, column, message, severity }) => ({
    ...{ message, severity },
    line: line ?? 1,
    column: column ?? 1,
  }));
}
