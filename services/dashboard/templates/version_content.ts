import {
  type BodySource,
  type DraftSource,
  type EmailVersion,
  MAX_VARIANT_BYTES,
  type PdfVersion,
} from "@posthaste/contracts";
import { isMjml } from "@posthaste/templating";
import { HttpError } from "../http_error.ts";
import { type CompiledBody, type CompiledParts, namesOf } from "./ask_renderer.ts";

type Content<Version extends EmailVersion | PdfVersion> = Pick<
  Version,
  "kind" | "source" | "parts" | "variants" | "shows"
>;

/**
 * Returns the content of a version, from its source and its compiled parts.
 *
 * @throws {HttpError} `template_failed` if its language variants are too large together.
 */
export function contentOf(
  source: DraftSource,
  compiled: CompiledParts,
): Content<EmailVersion> | Content<PdfVersion> & Pick<PdfVersion, "page"> {
  const { page } = source;
  return page === null
    ? { kind: "email", ...withVariants(source, compiled, emailBody) }
    : { kind: "pdf", page, ...withVariants(source, compiled, pdfBody) };
}

/** Returns the author's source of a body and its compiled parts, as versions have them. */
type BodyOf<Body> = (source: BodySource, compiled: CompiledBody) => Body;

function withVariants<Body>(
  source: DraftSource,
  compiled: CompiledParts,
  bodyOf: BodyOf<Body>,
) {
  const own = bodyOf(source, compiled);
  if (source.variants === undefined) return own;
  const variants: Record<string, Body & Pick<CompiledBody, "reads"> & { shows: string[] }> = {};
  for (const [tag, body] of Object.entries(source.variants)) {
    const made = compiled.variants?.[tag];
    if (made === undefined) {
      throw new HttpError("no_answer", "The response was incomplete. Try again");
    }
    variants[tag] = { ...bodyOf(body, made), reads: made.reads, shows: namesOf(made.assets) };
  }
  // Both the sources, which were measured when they were saved, and what was made from them must fit.
  if (Buffer.byteLength(JSON.stringify(variants)) > 2 * MAX_VARIANT_BYTES) {
    const limit = 2 * MAX_VARIANT_BYTES / 1_000_000;
    const error = `The language variants, as written and as compiled, exceed ${limit} MB together`;
    throw new HttpError("template_failed", error);
  }
  return { ...own, variants, shows: compiled.shows };
}

function emailBody(
  { subject, html, text }: BodySource,
  { subject: line, html: body, text: plain }: CompiledBody,
): Pick<EmailVersion, "source" | "parts"> {
  const source = {
    subject,
    ...(isMjml(html) ? { mjml: html } : { html }),
    ...(text.trim() === "" ? {} : { text }),
  };
  return { source, parts: { subject: line, html: body, text: plain } };
}

function pdfBody(
  { html, filename, invoice }: BodySource,
  { html: body, subject: name, invoice: xml }: CompiledBody,
): Pick<PdfVersion, "source" | "parts"> {
  const parts = { html: body, filename: name, ...(xml === undefined ? {} : { invoice: xml }) };
  const written = name === filename ? {} : { filename };
  const authored = invoice === undefined ? {} : { invoice };
  return { source: { html, ...authored, ...written }, parts };
}
