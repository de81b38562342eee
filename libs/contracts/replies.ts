import { z } from "zod";
import { contentSchema } from "./content.ts";
import { type EventType, pdfSourceSchema, renderReplySchema } from "./events.ts";
import { probeReplySchema } from "./probe.ts";
import { templateReadSchema } from "./template_read.ts";
import { webhookReplySchema } from "./webhook.ts";

/** A fault in a template, at its place in the author's source. */
export const templateFaultSchema = z.object({
  part: z.enum(["subject", "html", "text"]),
  /** From 1. */
  line: z.int(),
  /** From 1. */
  column: z.int(),
  message: z.string(),
});

/** A fault in a template, at its place in the author's source. */
export type TemplateFault = z.infer<typeof templateFaultSchema>;

/** A variable that a template was found to read. */
export const foundVariableSchema = z.object({
  name: z.string(),
  /** All that is read of it: `customer.name`, or `lines[].price` inside an `each`. */
  paths: z.array(z.string()),
  usedIn: z.array(z.enum(["subject", "html", "text"])),
  line: z.int(),
  column: z.int(),
  /** Whether every way through the template prints it; unknown where an older renderer answered. */
  always: z.boolean().optional(),
});

/** A variable that a template was found to read. */
export type FoundVariable = z.infer<typeof foundVariableSchema>;

const partsSchema = z.object({ subject: z.string(), html: contentSchema, text: contentSchema });

/** Reply to `preview.requested`. */
export const previewReplySchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    /** Of a PDF template the subject is its file name and the text is empty. */
    parts: partsSchema,
    /** Ready to be filled: what a version of it would hold; only if it was asked for. */
    compiled: partsSchema.extend({ reads: z.array(templateReadSchema).optional() }).optional(),
    /** Whether the text was made from the HTML. */
    textGenerated: z.boolean(),
    /** What is read where; also when filling failed. */
    variables: z.array(foundVariableSchema),
    /** Required variables that the data lacks. */
    missing: z.array(z.string()),
    /** What the author should know, though it prevents nothing. */
    warnings: z.array(z.string()),
  }),
  z.object({
    ok: z.literal(false),
    /** A sentence for the author. */
    reason: z.string(),
    /** Faults in the source; if filling it failed, where, as far as that is known. */
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
    /** What the document asked for and was refused. */
    blocked: z.array(z.string()),
  }),
  z.object({ ok: z.literal(false), reason: z.string(), timedOut: z.boolean().optional() }),
]);

/** Reply to `print.requested`. */
export type PrintReply = z.infer<typeof printReplySchema>;

/** The events that somebody waits for an answer to, with the shape of the answer. */
export const REPLIES = {
  "render.requested": renderReplySchema,
  "preview.requested": previewReplySchema,
  "content.requested": contentReplySchema,
  "print.requested": printReplySchema,
  "probe.requested": probeReplySchema,
  "webhook.requested": webhookReplySchema,
} as const satisfies Partial<Record<EventType, z.ZodType>>;

/** Name of an event that is answered. */
export type AskedType = keyof typeof REPLIES;

/** Answer to an event. */
export type ReplyTo<T extends AskedType> = z.infer<(typeof REPLIES)[T]>;
