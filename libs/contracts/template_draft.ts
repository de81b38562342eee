import { z } from "zod";
import { type EmailVersion, type PdfVersion, TEMPLATE_KINDS } from "./documents.ts";
import { keptPageOptionsSchema } from "./page_options.ts";
import { keptDeclarationSchema, type Variables, variablesSchema } from "./variables.ts";

/** Schema of a body: what a template has in each of its languages. */
const bodySourceSchema = z.object({
  /** Of an email; empty for a PDF. */
  subject: z.string(),
  /** HTML; of an email also MJML, if it begins with `<mjml`. */
  html: z.string(),
  /** Of an email; if it is empty, the text is made from the HTML. */
  text: z.string(),
  /** Of a PDF: the name of the file for recipients, which may have placeholders. */
  filename: z.string(),
  /** Of a PDF: the XML of its invoice; missing if it has none. */
  invoice: z.string().optional(),
});

/** A body: what a template has in each of its languages. */
export type BodySource = z.infer<typeof bodySourceSchema>;

/** Schema of an author's source, with all its options. */
export const draftSourceSchema = bodySourceSchema.extend({
  /** Bodies in further languages, by canonical BCP 47 tags. Missing if there are none. */
  variants: z.record(z.string(), bodySourceSchema).optional(),
  variables: z.array(keptDeclarationSchema),
  /** BCP 47 tag of its own body. */
  locale: z.string(),
  /** Of a PDF; null for an email. */
  page: keptPageOptionsSchema.nullable(),
  /** Data that fills the preview; not part of a version. */
  sample: variablesSchema,
});

/** An author's source, with all its options. */
export type DraftSource = z.infer<typeof draftSourceSchema>;

/** A template that its authors edit. It may differ from the published version. */
export const templateDraftSchema = z.object({
  /** `_id` of its template: `<account>/<kind>/<id>` */
  _id: z.string(),
  accountId: z.string(),
  kind: z.enum(TEMPLATE_KINDS),
  source: draftSourceSchema,
  /** Grows with every change. A save names the revision that it has changed. */
  revision: z.int().positive(),
  /** The released version with the same content; null after a change. */
  base: z.int().positive().nullable(),
  updatedAt: z.date(),
  /** `_id` of the user; null for the command line. */
  updatedBy: z.string().nullable(),
});

/** A template that its authors edit. */
export type TemplateDraft = z.infer<typeof templateDraftSchema>;

/** Returns the source of a version. A version has no sample. */
export function sourceOfVersion(
  version: EmailVersion | PdfVersion,
  sample: Variables = {},
): DraftSource {
  const { variables, locale } = version;
  const page = version.kind === "pdf" ? version.page : null;
  return { ...bodyOf(version), ...variantsOf(version), variables, locale, page, sample };
}

type Written =
  | Pick<EmailVersion, "kind" | "source">
  | Pick<PdfVersion, "kind" | "source" | "parts">;

function bodyOf(version: Written): BodySource {
  if (version.kind === "pdf") {
    const { html, invoice, filename = version.parts.filename } = version.source;
    const xml = invoice === undefined ? {} : { invoice };
    return { subject: "", html, text: "", filename, ...xml };
  }
  const { subject, html = "", mjml = html, text = "" } = version.source;
  return { subject, html: mjml, text, filename: "" };
}

function variantsOf({ kind, variants }: EmailVersion | PdfVersion): Pick<DraftSource, "variants"> {
  if (variants === undefined) return {};
  const bodies = Object.entries(variants).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([tag, variant]) => [tag, bodyOf({ kind, ...variant } as Written)]);
  return { variants: Object.fromEntries(bodies) };
}
