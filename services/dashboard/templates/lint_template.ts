import type { DraftSource, FoundVariable, TemplateFault, TemplateKind } from "@posthaste/contracts";
import type { LintFinding } from "../interface/templates.ts";
import { lintHtml } from "./lint_html.ts";
import { lintMail } from "./lint_mail.ts";

/** Every rule, with how much it matters. An `error` prevents publishing. */
export const LINT_RULES = {
  /** It could not be filled, though its source has no fault. */
  cannot_fill: "error",
  /** Messages with this PDF would fail: it asks for what it may not load. */
  pdf_blocked: "error",
  image_without_alt: "warning",
  /** A link or button that leads nowhere. */
  link_without_href: "warning",
  /** A link to `#`: a place that was never filled in. */
  link_placeholder: "warning",
  /** An address that means something on a web page only. */
  relative_address: "warning",
  /** An image without TLS, which mail clients do not load. */
  http_image: "warning",
  /** Scripts, frames and forms, which mail clients take out. */
  not_in_mail: "warning",
  /** A value that goes into the HTML as it is. */
  unescaped_value: "warning",
  /** A remote image in a PDF whose page options do not allow any. */
  remote_image: "warning",
  /** More than 102 KB of HTML, where Gmail cuts. */
  gmail_clips: "warning",
  empty_subject: "warning",
  /** A declared variable that nothing reads. */
  unused_variable: "warning",
  /** A required variable that the sample does not give. */
  sample_lacks: "warning",
  /** What the compiler says. */
  compiler: "warning",
  /** A variable that is read and not declared: requests may leave it out. */
  undeclared_variable: "info",
  subject_too_long: "info",
  no_preheader: "info",
  /** It looks like marketing, and has no link to unsubscribe. */
  missing_unsubscribe: "info",
} as const satisfies Record<string, LintFinding["severity"]>;

/** Name of a rule. */
export type LintRule = keyof typeof LINT_RULES;

/** A finding without what its rule tells. */
export type Found = Omit<LintFinding, "severity" | "rule"> & { rule: LintRule };

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

const MAX_FINDINGS = 200;

/** Finds what an author should look at before they publish; what is wrong comes first. */
export function lintTemplate(input: LintInput): LintFinding[] {
  const { kind, source, output } = input;
  const found = [
    ...lintOutcome(input),
    ...lintHtml(source.html, { kind, page: source.page }),
    ...(kind === "email" ? lintMail(source.html, output) : []),
    ...lintVariables(input),
  ];
  const findings = found.map((one) => ({ ...one, severity: LINT_RULES[one.rule] }));
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
    found.push(
      line === undefined || message === undefined
        ? { ...whole, rule: "compiler", message: warning }
        : { part: "html", line: Number(line), column: 1, rule: "compiler", message },
    );
  }
  return found;
}

function lintVariables({ source, variables, missing, errors }: LintInput): Found[] {
  const declared = new Map(source.variables.map((one) => [one.name, one]));
  const read = new Set(variables.map(({ name }) => name));
  const whole = { part: "html" as const, line: null, column: null };
  // Of a part that cannot be parsed nobody knows what it reads.
  const isKnown = errors === undefined || errors.length === 0;
  const unused = isKnown ? source.variables.filter(({ name }) => !read.has(name)) : [];
  return [
    ...missing.map((name): Found => ({
      ...whole,
      rule: "sample_lacks",
      message: `"${name}" is required, but the sample does not have it`,
    })),
    ...unused.map(({ name }): Found => ({
      ...whole,
      rule: "unused_variable",
      message: `"${name}" is declared, but the template does not use it`,
    })),
    ...variables.filter(({ name }) => !declared.has(name)).map((
      { name, usedIn, line, column },
    ): Found => ({
      ...{ part: usedIn[0] ?? "html", line, column, rule: "undeclared_variable" },
      message: `"${name}" is not declared: if a request omits it, nothing is shown for it`,
    })),
  ];
}
