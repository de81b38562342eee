/**
 * Handlebars in a sandbox: it finds the variables that a template reads, checks whether the template may be
 * published, and fills it without any risk for the calling process.
 *
 * ```ts
 * import { mergeVariables, openSandbox } from "@posthaste/templating";
 *
 * await using sandbox = openSandbox({ workers: 2 });
 * const published = await sandbox.publishEmail({ subject: "Hi {{name}}", html: "<p>{{text}}</p>" });
 * const templates = {
 *   subject: { key: "7/email/1/3/subject", source: published.subject, escape: "none" },
 *   html: { key: "7/email/1/3/html", source: published.html, escape: "html" },
 * } as const;
 * const data = mergeVariables(request.variables, recipient.variables);
 * const [result] = await sandbox.fill({ templates, fills: [{ data }] });
 * if (result?.ok) send(result.parts.subject, result.parts.html);
 * ```
 *
 * @module
 */
export { openSandbox, type Sandbox } from "./sandbox.ts";
export { calledPartials, readsBrand } from "./called_partials.ts";
export type { CallOptions, SandboxOptions, SandboxStats } from "./sandbox_options.ts";
export { checkTemplate, type TemplateParts } from "./check_template.ts";
export type { Fill, FillRequest, FillResult, TemplateSource } from "./fill.ts";
export { type HelperDescription, HELPERS } from "./helper_list.ts";
export { InvoiceError } from "./_invoice_error.ts";
export { type FilledInvoice, pdfInvoice, type RenderedInvoice } from "./pdf_invoice.ts";
export type { Includes } from "./includes.ts";
export { includeParts, type WholeTemplate } from "./include_parts.ts";
export { type HtmlAttribute, type HtmlTag, tagsOf } from "./html_tags.ts";
export { TEMPLATE_LIMITS } from "./limits.ts";
export { LINT_RULES, type LintRule, type LintSeverity } from "./lint_rules.ts";
export { describeFinding, lintTemplate } from "./lint_template.ts";
export type { LintedPartial, LintInput } from "./lint_input.ts";
export type { LintFinding } from "./lint_finding.ts";
export { mergeVariables, type Variables } from "./precedence.ts";
export {
  type EmailSource,
  isMjml,
  type PdfSource,
  type PublishedEmail,
  type PublishedPdf,
  publishEmail,
  publishPdf,
} from "./publish.ts";
export { RenderError, type RenderErrorCode } from "./render_error.ts";
export {
  type DeclaredVariable,
  isGiven,
  missingVariables,
  withDefaults,
} from "./required_variables.ts";
export {
  InvalidTemplateError,
  TEMPLATE_PARTS,
  type TemplateError,
  type TemplatePart,
} from "./template_error.ts";
export { templateAssets } from "./template_assets.ts";
export { joinReads, templateReads } from "./template_reads.ts";
export { mergeLevels, originsOf, valuesOf, type VariableLevels } from "./variable_levels.ts";
export { type TemplateVariable, templateVariables } from "./template_variables.ts";
export {
  type TranslatedProduct,
  translateTemplate,
  type Translation,
  type Untranslated,
} from "./translate_template.ts";
