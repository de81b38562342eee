import { z } from "zod";
import { usedAssetSchema } from "./asset.ts";
import { contentSchema } from "./content.ts";
import { type EventType, pdfInvoiceSchema, pdfSourceSchema, renderReplySchema } from "./events.ts";
import { consentReplySchema } from "./consent.ts";
import { PRINT_ERROR_CODES } from "./print_error_code.ts";
import { probeReplySchema } from "./probe.ts";
import { templateReadSchema } from "./template_read.ts";
import { webhookReplySchema } from "./webhook.ts";

/** A fault in a template, at its place in the author's source. */
export const templateFaultSchema = z.object({
  part: z.enum(["subject", "html", "text", "invoice"]),
  /** From 1. */
  line: z.int(),
  /** From 1. */
  column: z.int(),
  /** Name of the partial that has it; missing for the template itself. */
  partial: z.string().optional(),
  message: z.string(),
});

/** A fault in a template, at its place in the author's source. */
export type TemplateFault = z.infer<typeof templateFaultSchema>;

/** The first use of a path inside of a variable. */
export const fieldReadSchema = templateFaultSchema.omit({ message: true }).extend({
  path: z.string(),
});

/** A variable that a template reads. */
export const foundVariableSchema = z.object({
  name: z.string(),
  /** All paths that it reads of it: `customer.name`, or `lines[].price` inside an `each`. */
  paths: z.array(z.string()),
  usedIn: z.array(z.enum(["subject", "html", "text", "invoice"])),
  line: z.int(),
  column: z.int(),
  /** Name of the partial with its first use; missing for the template itself. */
  partial: z.string().optional(),
  /** Whether every path through the template prints it; missing in answers of an older renderer. */
  always: z.boolean().optional(),
  /** The places of its paths, as far as known; missing in answers of an older renderer. */
  fields: z.array(fieldReadSchema).optional(),
});

/** A variable that a template reads. */
export type FoundVariable = z.infer<typeof foundVariableSchema>;

const partsSchema = z.object({ subject: z.string(), html: contentSchema, text: contentSchema });

/** Reply to `preview.requested`. */
export const previewReplySchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    /** For a PDF template, the subject is its file name and the text is empty. */
    parts: partsSchema,
    /** The filled XML of a PDF template with an invoice. */
    invoice: pdfInvoiceSchema.optional(),
    /** The PDFs that are appended, in base64. */
    append: z.array(contentSchema).optional(),
    /** The parts of a version, ready to be filled; only on request. */
    compiled: partsSchema.extend({
      reads: z.array(templateReadSchema).optional(),
      invoice: contentSchema.optional(),
    }).optional(),
    /** Whether the text was made from the HTML. */
    textGenerated: z.boolean(),
    /** The variables that each part reads; also present if filling failed. */
    variables: z.array(foundVariableSchema),
    /** The stored images that it names; missing in answers of an older renderer. */
    assets: z.array(usedAssetSchema).optional(),
    /** Required variables that the data lacks. */
    missing: z.array(z.string()),
    /** Advice for the author that prevents nothing. */
    warnings: z.array(z.string()),
    /** Names of the partials in it; missing in answers of an older renderer. */
    partials: z.array(z.string()).optional(),
  }),
  z.object({
    ok: z.literal(false),
    /** A sentence for the author. */
    reason: z.string(),
    /** Faults in the source. If filling failed, their places as far as known. */
    errors: z.array(templateFaultSchema),
    variables: z.array(foundVariableSchema),
    timedOut: z.boolean(),
  }),
]);

/** Reply to `preview.requested`. */
export type PreviewReply = z.infer<typeof previewReplySchema>;

/** Reply to `content.requested`. */
export const contentReplySchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), parts: partsSchema, pdfs: z.array(pdfSourceSchema) }),
  z.object({ ok: z.literal(false), reason: z.string() }),
]);

/** Reply to `content.requested`. */
export type ContentReply = z.infer<typeof contentReplySchema>;

/** Reply to `print.requested`. */
export const printReplySchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    /** Key of the PDF in the object store. */
    key: z.string(),
    /** In bytes. */
    size: z.int().nonnegative(),
    /** The resources that the document requested and was refused. */
    blocked: z.array(z.string()),
    /** Characters without a glyph; missing if there are none. */
    missingGlyphs: z.array(z.string()).optional(),
    /** Families of the document's own fonts that the browser refused; missing if there are none. */
    brokenFonts: z.array(z.string()).optional(),
  }),
  z.object({
    ok: z.literal(false),
    reason: z.string(),
    /** Printers of the version before give none. */
    code: z.enum(PRINT_ERROR_CODES).optional(),
    timedOut: z.boolean().optional(),
  }),
]);

/** Reply to `print.requested`. */
export type PrintReply = z.infer<typeof printReplySchema>;

/** The events that are answered, with the schema of the answer. */
export const REPLIES = {
  "render.requested": renderReplySchema,
  "preview.requested": previewReplySchema,
  "content.requested": contentReplySchema,
  "print.requested": printReplySchema,
  "probe.requested": probeReplySchema,
  "consent.requested": consentReplySchema,
  "webhook.requested": webhookReplySchema,
} as const satisfies Partial<Record<EventType, z.ZodType>>;

/** Name of an event that is answered. */
export type AskedType = keyof typeof REPLIES;

/** Answer to an event. */
export type ReplyTo<T extends AskedType> = z.infer<(typeof REPLIES)[T]>;
