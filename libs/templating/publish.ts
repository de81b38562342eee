import type { AssetUse, TemplateRead } from "@posthaste/contracts";
import { checkTemplate } from "./check_template.ts";
import { publishedAssets, templateAssets } from "./template_assets.ts";
import { InvalidTemplateError, type TemplateError } from "./template_error.ts";
import { templateReads } from "./template_reads.ts";
import { type TemplateVariable, templateVariables } from "./template_variables.ts";
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
}

/** A PDF template as its author wrote it. */
export interface PdfSource {
  readonly html: string;
  /** The XML of its invoice. */
  readonly invoice?: string | undefined;
  /** BCP 47 tag for `<html lang>`, unless the HTML names one. */
  readonly locale?: string | undefined;
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
}

/**
 * Prepares an email template for filling: checks it, compiles MJML, inlines CSS, makes the text part. All
 * costly work happens here, once, and not for every mail. Its tools are loaded at the first call. Sources
 * from outside are published inside the sandbox (`sandbox.publishEmail`), where they can be killed.
 *
 * @throws {InvalidTemplateError} With every fault, at its line and column in the author's source.
 */
export async function publishEmail(source: EmailSource): Promise<PublishedEmail> {
  const { subject, html: written, locale } = source;
  const given = source.text?.trim() ? source.text : undefined;
  refuse(checkTemplate(defined({ subject, html: written, text: given })));
  if (/[\r\n]/.test(subject.trim())) refuse([at("subject", "A subject is a single line")]);

  const { html, warnings } = await toMailHtml(written, locale);
  const text = given ?? await textFrom(html);
  refuse(outgrown(checkTemplate({ html })));
  const variables = templateVariables(defined({ subject, html: written, text: given }));
  return {
    subject: subject.trim(),
    html,
    text,
    textGenerated: given === undefined,
    variables,
    reads: templateReads({ subject, html, text }),
    assets: publishedAssets(html, written),
    warnings,
  };
}

/**
 * Prepares a PDF template for filling. Chromium reads `<style>` itself: nothing is inlined.
 *
 * @throws {InvalidTemplateError} If it has faults.
 */
export function publishPdf({ html, invoice, locale }: PdfSource): PublishedPdf {
  const parts = defined({ html, invoice });
  refuse(checkTemplate(parts));
  const [variables, reads] = [templateVariables(parts), templateReads(parts)];
  const body = { html: withLanguage(html, locale), ...(invoice === undefined ? {} : { invoice }) };
  return { ...body, variables, reads, assets: templateAssets(html) };
}

async function toMailHtml(
  source: string,
  locale: string | undefined,
): Promise<{ html: string; warnings: readonly string[] }> {
  if (isMjml(source)) {
    // MJML inlines its own styles, and what it leaves in <style> belongs there.
    const { compileMjml } = await import("./_compile_mjml.ts");
    const { html, errors, warnings } = await compileMjml(source, locale);
    refuse(errors);
    return { html, warnings };
  }
  const document = withLanguage(source, locale);
  if (!/<style\b/i.test(source)) return { html: document, warnings: [] };
  const { inlineCss } = await import("./_inline_css.ts");
  return await inlineCss(document);
}

/** Returns whether a source is MJML: whether it begins with `<mjml`, comments aside. */
export function isMjml(source: string): boolean {
  // Step by step: one expression would try every way to pair the ends of many comments.
  let from = source.length - source.trimStart().length;
  while (source.startsWith("<!--", from)) {
    const end = source.indexOf("-->", from + 4);
    if (end === -1) return false;
    from = end + 3;
    while (from < source.length && source.charAt(from).trim() === "") from++;
  }
  return /^<mjml[\s>]/i.test(source.slice(from, from + 6));
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

function defined<T extends Record<string, string | undefined>>(
  parts: T,
): { [K in keyof T]: string } {
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: string };
}
