import { z } from "zod";
import { type EmailVersion, type PdfVersion, TEMPLATE_KINDS } from "./documents.ts";
import { keptPageOptionsSchema } from "./page_options.ts";
import { keptDeclarationSchema, type Variables, variablesSchema } from "./variables.ts";

/** Schema of what an author writes, with all that belongs to it. */
export const draftSourceSchema = z.object({
  /** Of an email; empty for a PDF. */
  subject: z.string(),
  /** HTML; of an email also MJML, if it begins with `<mjml`. */
  html: z.string(),
  /** Of an email; empty if it is to be made from the HTML. */
  text: z.string(),
  /** Of a PDF: name of the file that recipients see, which may have placeholders. */
  filename: z.string(),
  variables: z.array(keptDeclarationSchema),
  /** BCP 47. */
  locale: z.string(),
  /** Of a PDF; null for an email. */
  page: keptPageOptionsSchema.nullable(),
  /** What the preview is filled with; not part of what is published. */
  sample: variablesSchema,
});

/** What an author writes, with all that belongs to it. */
export type DraftSource = z.infer<typeof draftSourceSchema>;

/** A template as its authors have it in hand: it may differ from what is published. */
export const templateDraftSchema = z.object({
  /** `_id` of its template: `<account>/<kind>/<id>` */
  _id: z.string(),
  accountId: z.string(),
  kind: z.enum(TEMPLATE_KINDS),
  source: draftSourceSchema,
  /** Grows with every change: anyone who saves says which one they have changed. */
  revision: z.int().positive(),
  /** The released version that it is the same as; null once somebody has changed it. */
  base: z.int().positive().nullable(),
  updatedAt: z.date(),
  /** `_id` of the user; null for what the command line published. */
  updatedBy: z.string().nullable(),
});

/** A template as its authors have it in hand. */
export type TemplateDraft = z.infer<typeof templateDraftSchema>;

/** Returns what the author of a version wrote. A version has no sample. */
export function sourceOfVersion(
  version: EmailVersion | PdfVersion,
  sample: Variables = {},
): DraftSource {
  const { variables, locale } = version;
  const common = { variables, locale, sample };
  if (version.kind === "pdf") {
    const { source: { html }, parts: { filename }, page } = version;
    return { ...common, subject: "", html, text: "", filename, page };
  }
  const { subject, html = "", mjml = html, text = "" } = version.source;
  return { ...common, subject, html: mjml, text, filename: "", page: null };
}
