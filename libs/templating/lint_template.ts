import type { DraftSource, FoundVariable, TemplateFault, TemplateKind } from "@posthaste/contracts";
import { lintHtml } from "./_lint_html.ts";
import { lintMail } from "./_lint_mail.ts";
import { lintMarks } from "./_lint_marks.ts";
import { lintVariables } from "./_lint_variables.ts";
import { LINT_RULES, type LintRule, type LintSeverity } from "./lint_rules.ts";
import type { TemplatePart } from "./template_error.ts";

/** Something that an author should look at before they publish. */
export interface LintFinding {
  severity: LintSeverity;
  part: TemplatePart;
  /** From 1; null where it is about the whole. */
  line: number | null;
  column: number | null;
  rule: LintRule;
  /** One sentence, without a final period. */
  message: string;
  /** What the author can do. */
  remedy: string;
}

/** A finding without what its rule says. */
export type Found = Omit<LintFinding, "severity" | "remedy">;

/** A template, and what became of it. */
export interface LintInput {
  kind: TemplateKind;
  source: DraftSource;
  /** What it reads. */
  variables: readonly FoundVariable[];
  /** Required variables that the sample lacks. */
  missing: readonly string[];
  /** Faults of the source. */
  errors?: readonly TemplateFault[];
  /** Why it could not be filled. */
  reason?: string;
  /** Of the compiler; those that begin with `Line 3: ` tell where. */
  warnings?: readonly string[];
  /** What a message would have; missing where it could not be filled. */
  output?: { subject: string; html: string; text: string };
  /** What the PDF asked for and was refused. */
  blocked?: readonly string[];
}

/** Returns what was found and what can be done, in one text. */
export function sayFinding({ message, remedy }: Pick<LintFinding, "message" | "remedy">): string {
  return `${message}${message.endsWith("?") ? "" : "."} ${remedy}`;
}

const MAX_FINDINGS = 200;
/** How a renderer begins what it says of images that it cannot fetch. */
const IMAGES_FAIL = "Messages with it fail: ";

/**
 * Finds what an author should look at before they publish; what prevents it comes first. It takes a
 * time that grows with the length of the source alone.
 */
export function lintTemplate(input: LintInput): LintFinding[] {
  const { kind, source, output } = input;
  const found = [
    ...lintOutcome(input),
    ...lintHtml(source.html, { kind, page: source.page }),
    ...lintMarks(source),
    ...(kind === "email" ? lintMail(source.html, output) : []),
    ...lintVariables(input),
  ];
  const findings = found.map((one): LintFinding => ({ ...one, ...LINT_RULES[one.rule] }));
  const order = ["error", "warning", "info"];
  return findings.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
    .slice(0, MAX_FINDINGS);
}

function lintOutcome({ errors, reason, warnings = [], blocked = [], source }: LintInput): Found[] {
  const whole = { part: "html" as const, line: null, column: null };
  const found: Found[] = [];
  if (reason !== undefined && errors?.length === 0) {
    found.push({ ...whole, rule: "cannot_fill", message: reason });
  }
  if (blocked.length > 0 && source.page?.missing !== "leave_out") {
    const listed = blocked.slice(0, 3).map((url) => url.slice(0, 100)).join(", ");
    const message =
      `Messages with this PDF fail: it loads resources that are not allowed (${listed})`;
    found.push({ ...whole, rule: "pdf_blocked", message });
  }
  for (const warning of warnings) {
    const [, line, message] = /^Line (\d+): ([\s\S]*)$/.exec(warning) ?? [];
    const rule = warning.startsWith(IMAGES_FAIL) ? "pdf_images_fail" : "compiler";
    found.push(
      line === undefined || message === undefined
        ? { ...whole, rule, message: warning }
        : { part: "html", line: Number(line), column: 1, rule, message },
    );
  }
  return found;
}
