import { z } from "zod";
import { contentSchema } from "./content.ts";
import { smtpReplySchema } from "./documents.ts";
import { laneSchema } from "./lane.ts";
import { keptPageOptionsSchema } from "./page_options.ts";
import { probeSettingsSchema } from "./probe.ts";
import { keptDeclarationSchema, variablesSchema } from "./variables.ts";

/** Version of the events' shapes: a reader refuses what is newer than itself. */
export const EVENT_VERSION = 1;

const senderSchema = z.object({ email: z.string(), name: z.string().optional() });

/** A line of the timeline that travels with its message. */
export const stageLineSchema = z.object({
  type: z.enum(["rendered", "printed"]),
  at: z.iso.datetime(),
  /** Duration of the stage's work, in milliseconds. */
  durationMs: z.number().nonnegative(),
});

/** A line of the timeline that travels with its message. */
export type StageLine = z.infer<typeof stageLineSchema>;

/** One recipient inside `send.requested`: enough to render without a look-up. */
export const requestedRecipientSchema = z.object({
  /** Position in the request's `to`. */
  index: z.int().nonnegative(),
  /** The last attempt that has an outcome; the next one is wanted. */
  attempt: z.int().nonnegative(),
  email: z.string(),
  name: z.string().optional(),
  variables: variablesSchema.optional(),
  attachments: z.array(z.object({
    id: z.int(),
    filename: z.string().optional(),
    variables: variablesSchema.optional(),
  })).optional(),
});

/** One recipient inside `send.requested`. */
export type RequestedRecipient = z.infer<typeof requestedRecipientSchema>;

/** Messages that one `send.resumed` names at most. */
export const RESUMED_PER_EVENT = 200;

/** A message inside `send.resumed`. */
export const resumedMessageSchema = z.object({
  /** Position in the request's `to`. */
  index: z.int().nonnegative(),
  /** The last attempt that has an outcome; the next one is wanted. */
  attempt: z.int().nonnegative(),
});

/** A message inside `send.resumed`. */
export type ResumedMessage = z.infer<typeof resumedMessageSchema>;

const sendShape = {
  v: z.literal(EVENT_VERSION),
  sendId: z.string(),
  accountId: z.string(),
  lane: laneSchema,
  /** Time of acceptance, ISO 8601; also the `Date` of the mail, on every attempt. */
  acceptedAt: z.iso.datetime(),
  integrationId: z.int(),
  from: senderSchema,
};

const messageShape = {
  ...sendShape,
  messageId: z.string(),
  index: z.int().nonnegative(),
  /** The last attempt that has an outcome; the next one is wanted. */
  attempt: z.int().nonnegative(),
  to: senderSchema,
  subject: z.string(),
  html: contentSchema,
  text: contentSchema,
  /** How many mailers had no connection for it, and left it to the others. */
  passes: z.int().nonnegative().optional(),
  /** What was done for this attempt so far: it is written with the attempt's outcome. */
  timeline: z.array(stageLineSchema).optional(),
};

/** A PDF that is still to be printed. */
export const pdfSourceSchema = z.object({
  templateId: z.int(),
  filename: z.string(),
  html: contentSchema,
  page: keptPageOptionsSchema,
});

/** A PDF that lies in the object store. */
export const pdfObjectSchema = z.object({
  filename: z.string(),
  /** Its key in the store: SHA-256 of what it was printed from. */
  key: z.string(),
  /** In bytes. */
  size: z.int().nonnegative(),
});

/** Who a fact is about. Facts carry no personal data. */
const factShape = {
  v: z.literal(EVENT_VERSION),
  messageId: z.string(),
  sendId: z.string(),
  accountId: z.string(),
  index: z.int().nonnegative(),
  attempt: z.int().nonnegative(),
  /** When it happened, ISO 8601. */
  at: z.iso.datetime(),
  /** Duration of the stage's work, in milliseconds. */
  durationMs: z.number().nonnegative().optional(),
};

/**
 * Everything that travels between services: name to shape. The first five are work, eaten once; the
 * `message.*` below them are facts, read by whoever wants to know.
 */
export const EVENTS = {
  "render.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    templateId: z.int(),
    version: z.int(),
    variables: variablesSchema,
  }),
  /** A just accepted send, or a part of one: all that is needed to render it without a look-up. */
  "send.requested": z.object({
    ...sendShape,
    template: z.object({ id: z.int(), version: z.int() }),
    pdfVersions: z.record(z.string(), z.int()),
    variables: variablesSchema.optional(),
    recipients: z.array(requestedRecipientSchema),
  }),
  /**
   * Some messages of a send, by reference: the reader finds the rest in the ledger. So travels what
   * is due again, what was lost, and a recipient who is too large for an event.
   */
  "send.resumed": z.object({
    v: z.literal(EVENT_VERSION),
    sendId: z.string(),
    accountId: z.string(),
    lane: laneSchema,
    again: z.array(resumedMessageSchema).min(1).max(RESUMED_PER_EVENT),
  }),
  /** A rendered message; with `pdfs` it goes to the printer, without to the mailer. */
  "message.rendered": z.object({ ...messageShape, pdfs: z.array(pdfSourceSchema) }),
  /** A message that has all its PDFs. */
  "message.printed": z.object({ ...messageShape, attachments: z.array(pdfObjectSchema) }),

  /** A template as it is being written, to be shown to its author; replied to. */
  "preview.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    template: z.discriminatedUnion("kind", [
      z.object({
        kind: z.literal("email"),
        subject: z.string(),
        /** HTML or MJML. */
        html: contentSchema,
        text: contentSchema.optional(),
      }),
      z.object({
        kind: z.literal("pdf"),
        filename: z.string(),
        html: contentSchema,
        /** Tells whether its images are fetched. */
        page: keptPageOptionsSchema.optional(),
      }),
    ]),
    declarations: z.array(keptDeclarationSchema),
    locale: z.string(),
    variables: variablesSchema,
    /** Whether the answer shall also have what would be published. */
    compiled: z.boolean().optional(),
  }),
  /** What an accepted message was filled to, made again from the versions that it is pinned to; replied to. */
  "content.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    sendId: z.string(),
    index: z.int().nonnegative(),
  }),
  /** A filled PDF template, to be printed for a person who waits; replied to. */
  "print.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    name: z.string(),
    html: contentSchema,
    page: keptPageOptionsSchema,
  }),
  /** A customer's SMTP server, to be tried without sending anything; replied to. */
  "probe.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    settings: probeSettingsSchema,
  }),

  "fact.send.accepted": z.object({
    v: z.literal(EVENT_VERSION),
    sendId: z.string(),
    accountId: z.string(),
    at: z.iso.datetime(),
    /** How many messages it is; not told by older processes. */
    recipients: z.int().positive().optional(),
  }),
  /** A message waits for a time before it can be made ready: nothing was tried. */
  "fact.message.waiting": z.object({
    ...factShape,
    reason: z.string(),
    nextAt: z.iso.datetime(),
  }),
  "fact.message.sent": z.object({ ...factShape, reply: smtpReplySchema }),
  "fact.message.deferred": z.object({
    ...factShape,
    reason: z.string(),
    reply: smtpReplySchema.optional(),
    /** Missing while it waits for its integration's turn. */
    nextAt: z.iso.datetime().optional(),
  }),
  "fact.message.unknown": z.object({ ...factShape, reason: z.string() }),
  "fact.message.failed": z.object({
    ...factShape,
    /** Where it failed; `pipeline` when an event was given up that kept killing its worker. */
    stage: z.enum(["renderer", "pdf", "mailer", "pipeline"]),
    reason: z.string(),
    reply: smtpReplySchema.optional(),
  }),
} as const satisfies Record<string, z.ZodType>;

/** Name of an event. */
export type EventType = keyof typeof EVENTS;

/** Data of an event. */
export type EventData<T extends EventType> = z.infer<(typeof EVENTS)[T]>;

/** Name of a fact. */
export type FactType = Extract<EventType, `fact.${string}`>;

/** Reply to `render.requested`. */
export const renderReplySchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), subject: z.string(), html: z.string(), text: z.string() }),
  z.object({ ok: z.literal(false), reason: z.string(), timedOut: z.boolean() }),
]);

/** Reply to `render.requested`. */
export type RenderReply = z.infer<typeof renderReplySchema>;
