import type { AssetUse, TemplateRead } from "@posthaste/contracts";
import { checkTemplate } from "./check_template.ts";
import { publishedAssets, templateAssets } from "./template_assets.ts";
import { InvalidTemplateError, type TemplateError } from "./template_error.ts";
import { templateReads } from "./template_reads.ts";
import { includeParts, type WholeTemplate } from "./include_parts.ts";
import type { Includes } from "./includes.ts";
import type { TemplateVariable } from "./template_variables.ts";
import { withLanguage } from "./_with_language.ts";

/** An email template as its author wrote it. */
export interface EmailSource {
  readonly subject: string;
  /** HTML, or MJML if it begins with `<mjml`. */
  readonly html: string;
  /** Made from the HTML if it is missing or empty. */
  readonly text?: string;
  /** BCP 47 tag for `<html lang>`, unless the HTML names one. */
  readonly locale?: string | undefined;
  /** What it may include. @default nothing */
  readonly includes?: Includes | undefined;
}

/** An email template ready to be filled. */
export interface PublishedEmail {
  readonly subject: string;
  /** Compiled from MJML if necessary, CSS inlined. */
  readonly html: string;
  readonly text: string;
  readonly textGenerated: boolean;
  readonly variables: readonly TemplateVariable[];
  /** The values that the filled parts read, and their uses. */
  readonly reads: readonly TemplateRead[];
  /** The stored images that the HTML names, with their places in the author's HTML. */
  readonly assets: readonly AssetUse[];
  /** Advice for the author that does not prevent publishing. */
  readonly warnings: readonly string[];
  /** Names of the partials whose text it contains. */
  readonly partials: readonly string[];
}

/** A PDF template as its author wrote it. */
export interface PdfSource {
  readonly html: string;
  /** The XML of its invoice. */
  readonly invoice?: string | undefined;
  /** BCP 47 tag for `<html lang>`, unless the HTML names one. */
  readonly locale?: string | undefined;
  /** What it may include. @default nothing */
  readonly includes?: Includes | undefined;
}

/** A PDF template ready to be filled. */
export interface PublishedPdf {
  readonly html: string;
  /** The XML of its invoice, as written. */
  readonly invoice?: string | undefined;
  readonly variables: readonly TemplateVariable[];
  /** The values that the filled parts read, and their uses. */
  readonly reads: readonly TemplateRead[];
  /** The stored images that the HTML names. */
  readonly assets: readonly AssetUse[];
  /** Names of the partials whose text it contains. */
  readonly partials: readonly string[];
}

/**
 * Prepares an email template for filling: checks it, compiles MJML, inlines CSS, makes the text part. All
 * costly work happens here, once, and not for every mail. Its tools are loaded at the first call. Sources
 * from outside are published inside the sandbox (`sandbox.publishEmail`), where they can be killed.
 *
 * @throws {InvalidTemplateError} With every fault, at its line and column in the author's source.
 */
export async function publishEmail(source: EmailSource): Promise<PublishedEmail> {
  const { locale, includes } = source;
  const authored = source.text?.trim() ? source.text : undefined;
  const whole = includeParts(
    { subject: source.subject, html: source.html, text: authored },
    includes,
  );
  refuse(whole.errors);
  const { subject = "", html: written = "", text: given } = whole.parts;
  if (/[\r\n]/.test(subject.trim())) refuse([at("subject", "A subject must be a single line")]);

  const { html, warnings } = await toMailHtml(written, { locale, placeOf: whole.placeOf });
  const text = given ?? await textFrom(html);
  refuse(outgrown(checkTemplate({ html })));
  return {
    subject: subject.trim(),
    html,
    text,
    textGenerated: given === undefined,
    variables: whole.variables,
    reads: templateReads({ subject, html, text }),
    assets: publishedAssets(html, { written, placeOf: whole.placeOf }),
    warnings,
    partials: whole.partials,
  };
}

/**
 * Prepares a PDF template for filling. Chromium reads `<style>` itself: nothing is inlined.
 *
 * @throws {InvalidTemplateError} If it has faults.
 */
export function publishPdf(source: PdfSource): PublishedPdf {
  const { locale, includes } = source;
  const whole = includeParts({ html: source.html, invoice: source.invoice }, includes);
  refuse(whole.errors);
  const { html = "" } = whole.parts;
  return {
    ...whole.parts,
    html: withLanguage(html, locale),
    variables: whole.variables,
    reads: templateReads(whole.parts),
    assets: templateAssets(html).map((use) => whole.placeOf("html", use)),
    partials: whole.partials,
  };
}

async function toMailHtml(
  source: string,
  { locale, placeOf }: { locale: string | undefined; placeOf: WholeTemplate["placeOf"] },
): Promise<{ html: string; warnings: readonly string[] }> {
  if (isMjml(source)) {
    // MJML inlines its own styles, and what it leaves in <style> belongs there.
    const { compileMjml } = await import("./_compile_mjml.ts");
    const { html, errors, warnings } = await compileMjml(source, locale);
    refuse(errors.map((error) => placeOf(error.part, error)));
    return { html, warnings: warnings.map((warning) => placeWarning(warning, placeOf)) };
  }
  const document = withLanguage(source, locale);
  if (!/<style\b/i.test(source)) return { html: document, warnings: [] };
  const { inlineCss } = await import("./_inline_css.ts");
  return await inlineCss(document);
}

/** Returns a warning `Line 3: …` with the line of the author's source. */
function placeWarning(warning: string, placeOf: WholeTemplate["placeOf"]): string {
  const [, line, message] = /^Line (\d+): ([\s\S]*)$/.exec(warning) ?? [];
  if (line === undefined) return warning;
  const at = placeOf("html", { line: Number(line), column: 1, partial: undefined });
  return `Line ${at.line}${
    at.partial === undefined ? "" : ` of partial "${at.partial}"`
  }: ${message}`;
}

/**
 * Returns whether a source is MJML: whether it begins with `<mjml`, comments aside, or after a call of a
 * layout with another of its elements.
 */
export function isMjml(source: string): boolean {
  // Step by step: one expression would try every way to pair the ends of many comments.
  let from = source.length - source.trimStart().length;
  let isInLayout = false;
  for (;;) {
    const isCall = source.startsWith("{{#>", from) || source.startsWith("{{#*", from);
    if (!isCall && !source.startsWith("<!--", from)) break;
    const close = isCall ? "}}" : "-->";
    const end = source.indexOf(close, from + 4);
    if (end === -1) return false;
    isInLayout ||= isCall;
    from = end + close.length;
    while (from < source.length && source.charAt(from).trim() === "") from++;
  }
  const begin = source.slice(from, from + 6);
  return /^<mjml[\s>]/i.test(begin) || isInLayout && /^<mj-/i.test(begin);
}

async function textFrom(html: string): Promise<string> {
  const { deriveText } = await import("./_derive_text.ts");
  const text = await deriveText(html);
  const [error] = checkTemplate({ text });
  if (error) {
    const message = `Cannot generate the text part from the HTML (${error.message}): write it here`;
    refuse([at("text", message)]);
  }
  return text;
}

function refuse(errors: readonly TemplateError[]): void {
  if (errors.length > 0) throw new InvalidTemplateError(errors);
}

/** Returns the errors of compiled parts. A valid source can only fail by becoming too large. */
function outgrown(errors: readonly TemplateError[]): TemplateError[] {
  return errors.map(({ part, message }) => at(part, `After compiling: ${message}`));
}

function at(part: TemplateError["part"], message: string): TemplateError {
  return { part, line: 1, column: 1, message };
}
