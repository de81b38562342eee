import { lintAssets } from "./_lint_assets.ts";
import { lintFields } from "./_lint_fields.ts";
import { type HtmlUse, lintHtml } from "./_lint_html.ts";
import { lintMail } from "./_lint_mail.ts";
import { lintMarks } from "./_lint_marks.ts";
import { lintPassword } from "./_lint_password.ts";
import { lintVariables } from "./_lint_variables.ts";
import { type Found, type LintFinding, WHOLE } from "./lint_finding.ts";
import type { LintedPartial, LintInput } from "./lint_input.ts";
import { LINT_RULES } from "./lint_rules.ts";

const FAILS = "Messages with this PDF fail";

/** What happens with characters without a glyph. */
const OUTCOMES = {
  fail: FAILS,
  mark: "The PDF shows an empty box, and its messages have a warning",
  ignore: "The PDF shows an empty box",
};

/** Returns the finding and its remedy in one text. */
export function describeFinding(
  { message, remedy }: Pick<LintFinding, "message" | "remedy">,
): string {
  return `${message}${message.endsWith("?") ? "" : "."} ${remedy}`;
}

const MAX_FINDINGS = 200;
/** The beginning of a renderer's warning about images that it cannot fetch. */
const IMAGES_FAIL = "Messages with it fail: ";

/**
 * Returns the findings that an author should check before publishing, those that prevent it first. It takes
 * time proportional to the length of the source.
 */
export function lintTemplate(input: LintInput): LintFinding[] {
  const { kind, source, output, partials = [] } = input;
  const found = [
    ...lintOutcome(input),
    ...lintHtml(source.html, { kind, page: source.page }),
    ...lintMarks(source),
    ...partials.flatMap((partial) => lintPartial(partial, { kind, page: source.page })),
    ...(kind === "email" ? lintMail(source.html, output) : []),
    ...(kind === "pdf" ? lintPassword(source) : []),
    ...lintVariables(input),
    ...lintFields(input),
    ...lintAssets(input),
  ];
  const findings = found.map((one): LintFinding => ({ ...one, ...LINT_RULES[one.rule] }));
  const order = ["error", "warning", "info"];
  return findings.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
    .slice(0, MAX_FINDINGS);
}

/** A message has the text of a partial, wherever it was written. */
function lintPartial({ name: partial, source: html }: LintedPartial, use: HtmlUse): Found[] {
  const found = [
    ...lintHtml(html, use),
    ...lintMarks({ html, subject: "", text: "", filename: "" }),
  ];
  return found.map((one) => ({ ...one, partial }));
}

function lintOutcome(
  {
    errors,
    reason,
    source,
    unprintable,
    warnings = [],
    blocked = [],
    missingGlyphs = [],
    brokenFonts = [],
  }: LintInput,
): Found[] {
  const found: Found[] = [];
  if (reason !== undefined && errors?.length === 0) {
    found.push({ ...WHOLE, rule: "cannot_fill", message: reason });
  }
  if (blocked.length > 0 && source.page?.missing !== "leave_out") {
    const listed = blocked.slice(0, 3).map((url) => url.slice(0, 100)).join(", ");
    const message = `${FAILS}: it loads resources that are not allowed (${listed})`;
    found.push({ ...WHOLE, rule: "pdf_blocked", message });
  }
  if (unprintable !== undefined) {
    found.push({ ...WHOLE, rule: "pdf_unprintable", message: `${FAILS}: ${unprintable}` });
  }
  if (missingGlyphs.length > 0) {
    const choice = source.page?.missingGlyphs ?? "ignore";
    const rule = choice === "fail" ? "pdf_glyphs_fail" : "pdf_missing_glyphs";
    const message = `${OUTCOMES[choice]}: no font has a glyph for ${missingGlyphs.join(", ")}`;
    found.push({ ...WHOLE, rule, message });
  }
  for (const family of brokenFonts) {
    const message = `The PDF has another font instead of "${family}", which cannot be read`;
    found.push({ ...WHOLE, rule: "pdf_font_broken", message });
  }
  for (const warning of warnings) {
    const [, line, message] = /^Line (\d+): ([\s\S]*)$/.exec(warning) ?? [];
    const rule = warning.startsWith(IMAGES_FAIL) ? "pdf_images_fail" : "compiler";
    found.push(
      line === undefined || message === undefined
        ? { ...WHOLE, rule, message: warning }
        : { part: "html", line: Number(line), column: 1, rule, message },
    );
  }
  return found;
}
