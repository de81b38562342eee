import type { LintRule, LintSeverity } from "./lint_rules.ts";
import type { TemplatePart } from "./template_error.ts";

/** Something that an author should look at before they publish. */
export interface LintFinding {
  severity: LintSeverity;
  part: TemplatePart;
  /** From 1; null where it is about the whole. */
  line: number | null;
  column: number | null;
  /** Name of the partial with the place; missing for the template itself. */
  partial?: string | undefined;
  rule: LintRule;
  /** One sentence, without a final period. */
  message: string;
  /** What the author can do. */
  remedy: string;
}

/** A finding without what its rule says. */
export type Found = Omit<LintFinding, "severity" | "remedy">;

/** The place of a finding about the whole template. */
export const WHOLE = { part: "html", line: null, column: null } as const;

/** Notes a finding at a position of the HTML. */
export type Report = (rule: LintRule, at: number, message: string) => void;
