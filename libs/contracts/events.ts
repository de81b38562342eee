import { z } from "zod";
import { contentSchema } from "./content.ts";
import { smtpReplySchema } from "./documents.ts";
import { mailEnvelopeSchema } from "./envelope.ts";
import { mailFileSchema } from "./mail_file.ts";
import { prioritySchema } from "./priority.ts";
import { keptPageOptionsSchema } from "./page_options.ts";
import { probeSettingsSchema } from "./probe.ts";
import { keptDeclarationSchema, variablesSchema } from "./variables.ts";

/** Version of the events' shapes: a reader refuses what is newer than itself. */
export const EVENT_VERSION = 2 as const;

/**
 * Version of the events of sends that say more of their mails than an address: a worker that does not know
 * these fields hands them back, and drops none.
 */
export const ENVELOPE_VERSION = 3 as const;

const sendVersionSchema = z.union([z.literal(EVENT_VERSION), z.literal(ENVELOPE_VERSION)]);

/** Version of the events of a send. */
export type SendEventVersion = z.infer<typeof sendVersionSchema>;

/** Messages that one event carries at most: so that workers share a large send. */
export const MAX_MESSAGES_PER_EVENT = 25;

/** Renders that one `render.requested` asks for at most. */
export const MAX_RENDERS = 25;

/** Outcomes that one status event carries at most. */
export const MAX_OUTCOMES_PER_EVENT = 500;

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

/** Files that go with a mail, besides its PDFs. */
const filesSchema = z.array(mailFileSchema).optional();

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
  envelope: mailEnvelopeSchema.optional(),
  files: filesSchema,
});

/** One recipient inside `send.requested`. */
export type RequestedRecipient = z.infer<typeof requestedRecipientSchema>;

/** A message of a request that is only tried: what it would be filled from. */
export const givenMessageSchema = z.object({
  template: z.object({ id: z.int(), version: z.int() }),
  /** Version of each PDF template, by its id. */
  pdfVersions: z.record(z.string(), z.int()),
  /** Those that all recipients share. */
  variables: variablesSchema.optional(),
  recipient: requestedRecipientSchema,
});

/** A message of a request that is only tried. */
export type GivenMessage = z.infer<typeof givenMessageSchema>;

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

/** Whether its messages were worked on before: some may be sent by now. */
const redeliveredSchema = z.boolean().optional();

const sendShape = {
  v: sendVersionSchema,
  sendId: z.string(),
  accountId: z.string(),
  priority: prioritySchema,
  /** Time of acceptance, or of the start of a scheduled send, ISO 8601; also the `Date` of the mail, on every attempt. */
  acceptedAt: z.iso.datetime(),
  integrationId: z.int(),
  from: senderSchema,
  redelivered: redeliveredSchema,
};

const messageShape = {
  /** Position in the request's `to`; the message's id follows from it and the send's. */
  index: z.int().nonnegative(),
  /** The last attempt that has an outcome; the next one is wanted. */
  attempt: z.int().nonnegative(),
  to: senderSchema,
  envelope: mailEnvelopeSchema.optional(),
  files: filesSchema,
  subject: z.string(),
  html: contentSchema,
  text: contentSchema,
  /** What was done for this attempt so far: it is written with the attempt's outcome. */
  timeline: z.array(stageLineSchema).optional(),
};

/** Messages of one send, in one event. */
function messagesOf<T extends z.ZodType>(message: T) {
  return z.object({
    ...sendShape,
    /** How many mailers had no connection for them, and left them to the others. */
    passes: z.int().nonnegative().optional(),
    messages: z.array(message).min(1).max(MAX_MESSAGES_PER_EVENT),
  });
}

/** A PDF that is still to be printed. */
export const pdfSourceSchema = z.object({
  templateId: z.int(),
  filename: z.string(),
  html: contentSchema,
  page: keptPageOptionsSchema,
});

/** A PDF: in the object store under a key, or in the event's tail. */
export const pdfObjectSchema = z.union([
  z.object({
    filename: z.string(),
    /** Its key in the store: SHA-256 of what it was printed from. */
    key: z.string(),
    /** In bytes. */
    size: z.int().nonnegative(),
  }),
  z.object({
    filename: z.string(),
    /** Where it begins in the event's tail, in bytes. */
    offset: z.int().nonnegative(),
    /** In bytes. */
    size: z.int().nonnegative(),
  }),
]);

/** A rendered message, whose PDFs are still to be printed. */
export const renderedMessageSchema = z.object({ ...messageShape, pdfs: z.array(pdfSourceSchema) });

/** A rendered message, whose PDFs are still to be printed. */
export type RenderedMessage = z.infer<typeof renderedMessageSchema>;

/** A message that has all its PDFs. */
export const printedMessageSchema = z.object({
  ...messageShape,
  attachments: z.array(pdfObjectSchema),
});

/** A message that has all its PDFs. */
export type PrintedMessage = z.infer<typeof printedMessageSchema>;

/** Who a status event is about. Status events carry no personal data. */
const statusEventShape = {
  messageId: z.string(),
  sendId: z.string(),
  accountId: z.string(),
  index: z.int().nonnegative(),
  attempt: z.int().nonnegative(),
  /** The integration that it was tried through; missing where nothing was tried. */
  integrationId: z.int().positive().optional(),
  /** When it happened, ISO 8601. */
  at: z.iso.datetime(),
  /** Duration of the stage's work, in milliseconds. */
  durationMs: z.number().nonnegative().optional(),
};

/** What happened to one message, by the type of its status event. */
export const FACTS = {
  /** A message waits for a time before it can be made ready: nothing was tried. */
  "status.message.waiting": z.object({
    ...statusEventShape,
    reason: z.string(),
    nextAt: z.iso.datetime(),
  }),
  /** A mailer gives a message back untried: there is no room for it now. */
  "status.message.returned": z.object({
    ...statusEventShape,
    integrationId: z.int().positive(),
    /** When its send was accepted, ISO 8601. */
    acceptedAt: z.iso.datetime(),
  }),
  "status.message.sent": z.object({ ...statusEventShape, reply: smtpReplySchema }),
  "status.message.deferred": z.object({
    ...statusEventShape,
    reason: z.string(),
    reply: smtpReplySchema.optional(),
    /** Missing while it waits for its integration. */
    nextAt: z.iso.datetime().optional(),
  }),
  "status.message.unknown": z.object({ ...statusEventShape, reason: z.string() }),
  "status.message.failed": z.object({
    ...statusEventShape,
    /** Where it failed; `pipeline` when an event was given up that kept killing its worker. */
    stage: z.enum(["renderer", "pdf", "mailer", "pipeline"]),
    reason: z.string(),
    reply: smtpReplySchema.optional(),
  }),
} as const satisfies Record<`status.message.${string}`, z.ZodType>;

/** Name of what happened to a message. */
export type MessageStatusType = keyof typeof FACTS;

/** What happened to one message. */
export type MessageStatusData<T extends MessageStatusType> = z.infer<(typeof FACTS)[T]>;

/** A group of what happened to messages, of whatever send. */
function reportOf<T extends z.ZodType>(statusEvent: T) {
  return z.object({
    v: z.literal(EVENT_VERSION),
    facts: z.array(statusEvent).min(1).max(MAX_OUTCOMES_PER_EVENT),
  });
}

/**
 * Everything that travels between services: name to shape. The first five are work, consumed once; the
 * `status event.*` at the end say what happened.
 */
export const EVENTS = {
  "render.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    templateId: z.int(),
    version: z.int(),
    variables: variablesSchema,
    /** Variables of other requests for the same version; each has an answer of its own. */
    others: z.array(variablesSchema).max(MAX_RENDERS - 1).optional(),
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
    v: sendVersionSchema,
    sendId: z.string(),
    accountId: z.string(),
    priority: prioritySchema,
    again: z.array(resumedMessageSchema).min(1).max(RESUMED_PER_EVENT),
    redelivered: redeliveredSchema,
  }),
  /** Rendered messages; with `pdfs` they go to the printer, without to the mailer: all of an event, or none. */
  "messages.rendered": messagesOf(renderedMessageSchema),
  /** Messages that have all their PDFs. */
  "messages.printed": messagesOf(printedMessageSchema),

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
        /** Returns whether its images are fetched. */
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
    /** Empty where a message is given. */
    sendId: z.string(),
    index: z.int().nonnegative(),
    /** A message that is in no ledger, to be filled instead. */
    given: givenMessageSchema.optional(),
    /** One PDF template, to be filled instead of a message. */
    pdf: z.object({ id: z.int(), version: z.int(), variables: variablesSchema }).optional(),
    /** Whether only the file names of its PDFs are wanted: their documents come back empty. */
    namesOnly: z.boolean().optional(),
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
  /** A test event, to be sent to an endpoint for a person who waits; replied to. */
  "webhook.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    webhookId: z.string(),
  }),

  "status.send.accepted": z.object({
    v: z.literal(EVENT_VERSION),
    sendId: z.string(),
    accountId: z.string(),
    at: z.iso.datetime(),
    /** How many messages it is; not told by older processes. */
    recipients: z.int().positive().optional(),
    /** Whether it waits for room: the api has dispatched nothing of it. */
    waits: z.boolean().optional(),
  }),
  "status.message.waiting": reportOf(FACTS["status.message.waiting"]),
  "status.message.returned": reportOf(FACTS["status.message.returned"]),
  "status.message.sent": reportOf(FACTS["status.message.sent"]),
  "status.message.deferred": reportOf(FACTS["status.message.deferred"]),
  "status.message.unknown": reportOf(FACTS["status.message.unknown"]),
  "status.message.failed": reportOf(FACTS["status.message.failed"]),
} as const satisfies Record<string, z.ZodType>;

/** Name of an event. */
export type EventType = keyof typeof EVENTS;

/** Data of an event. */
export type EventData<T extends EventType> = z.infer<(typeof EVENTS)[T]>;

const ENVELOPE_EVENTS: ReadonlySet<EventType> = new Set([
  ...["send.requested", "send.resumed", "messages.rendered", "messages.printed"] as const,
]);

/** Returns the newest version of an event that this program reads. */
export function newestVersionOf(type: EventType): number {
  return ENVELOPE_EVENTS.has(type) ? ENVELOPE_VERSION : EVENT_VERSION;
}

/** Name of a status event. */
export type StatusEventType = Extract<EventType, `status.${string}`>;

/** Reply to `render.requested`. */
export const renderReplySchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), subject: z.string(), html: z.string(), text: z.string() }),
  z.object({ ok: z.literal(false), reason: z.string(), timedOut: z.boolean() }),
]);

/** Reply to `render.requested`. */
export type RenderReply = z.infer<typeof renderReplySchema>;
