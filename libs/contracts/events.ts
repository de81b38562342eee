import { z } from "zod";
import { messageWarningSchema } from "./message_warning.ts";
import { contentSchema, mailTextSchema, tailPlaceSchema } from "./content.ts";
import { smtpReplySchema } from "./documents.ts";
import { mailEnvelopeSchema } from "./envelope.ts";
import { mailFileSchema } from "./mail_file.ts";
import { prioritySchema } from "./priority.ts";
import { INVOICE_PROFILES, keptPageOptionsSchema } from "./page_options.ts";
import { probeSettingsSchema } from "./probe.ts";
import { sealedSecretSchema } from "./sealed_secret.ts";
import { keptDeclarationSchema, variablesSchema } from "./variables.ts";

/** Version of most events. A worker leaves an event of a newer version than it knows to others. */
export const EVENT_VERSION = 2 as const;

/** Version of the events that dispatch a send with envelope fields. */
export const ENVELOPE_VERSION = 3 as const;

/** Version of the events that carry messages, with or without envelope fields: the texts of the mails are in the tail. */
export const TAIL_VERSION = 4 as const;

/** Version of what is reported of messages. */
export const STATUS_VERSION = 3 as const;

const sendVersionSchema = z.union([z.literal(EVENT_VERSION), z.literal(ENVELOPE_VERSION)]);

/** The most messages in one event. Several workers thus share a large send. */
export const MAX_MESSAGES_PER_EVENT = 25;

/** The most renders that one `render.requested` requests. */
export const MAX_RENDERS = 25;

/** The most outcomes in one status event. */
export const MAX_OUTCOMES_PER_EVENT = 500;

const senderSchema = z.object({ email: z.string(), name: z.string().optional() });

/** A line of the timeline that travels with its message. */
const stageLineSchema = z.object({
  type: z.enum(["rendered", "printed"]),
  at: z.iso.datetime(),
  /** Duration of the stage's work, in milliseconds. */
  durationMs: z.number().nonnegative(),
  warning: messageWarningSchema.optional(),
  /** The warning as a sentence for people. */
  detail: z.string().optional(),
});

/** A line of the timeline that travels with its message. */
export type StageLine = z.infer<typeof stageLineSchema>;

/** Files that are sent with a mail, besides its PDFs. */
const filesSchema = z.array(mailFileSchema).optional();

/** One recipient inside `send.requested`, complete enough to render without a look-up. */
const requestedRecipientSchema = z.object({
  /** Position in the request's `to`. */
  index: z.int().nonnegative(),
  /** The last attempt that has an outcome; the next one is due. */
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
  /** BCP 47 tag of the wanted language: its own, or that of its send. */
  locale: z.string().optional(),
});

/** One recipient inside `send.requested`. */
export type RequestedRecipient = z.infer<typeof requestedRecipientSchema>;

/** A message of a dry run, with the values that fill it. */
const givenMessageSchema = z.object({
  template: z.object({ id: z.int(), version: z.int() }),
  /** Version of each PDF template, by its id. */
  pdfVersions: z.record(z.string(), z.int()),
  /** The variables that all recipients share. */
  variables: variablesSchema.optional(),
  recipient: requestedRecipientSchema,
});

/** A message of a dry run. */
export type GivenMessage = z.infer<typeof givenMessageSchema>;

/** The most messages in one `send.resumed`. */
export const RESUMED_PER_EVENT = 200;

/** A message inside `send.resumed`. */
const resumedMessageSchema = z.object({
  /** Position in the request's `to`. */
  index: z.int().nonnegative(),
  /** The last attempt that has an outcome; the next one is due. */
  attempt: z.int().nonnegative(),
});

/** A message inside `send.resumed`. */
export type ResumedMessage = z.infer<typeof resumedMessageSchema>;

/** Whether workers have had its messages before: some may be sent by now. */
const redeliveredSchema = z.boolean().optional();

const sendShape = {
  sendId: z.string(),
  accountId: z.string(),
  priority: prioritySchema,
  /** Time of acceptance, or of the start of a scheduled send, ISO 8601; also the `Date` of the mail, on every attempt. */
  acceptedAt: z.iso.datetime(),
  /** The integration that sends them. */
  integrationId: z.int(),
  /** The integration of the send, if another one sends in its place. */
  insteadOf: z.int().positive().optional(),
  from: senderSchema,
  /** Encrypts the subjects in the ledger. Without it, none is stored. */
  subjectKey: z.string().optional(),
  redelivered: redeliveredSchema,
};

const messageShape = {
  /** Position in the request's `to`; the message's id follows from it and the send's. */
  index: z.int().nonnegative(),
  /** The last attempt that has an outcome; the next one is due. */
  attempt: z.int().nonnegative(),
  to: senderSchema,
  envelope: mailEnvelopeSchema.optional(),
  files: filesSchema,
  subject: z.string(),
  html: mailTextSchema,
  text: mailTextSchema,
  /** The work for this attempt so far. It is written with the attempt's outcome. */
  timeline: z.array(stageLineSchema).optional(),
};

/** Messages of one send, in one event. */
function messagesOf<T extends z.ZodType>(message: T) {
  return z.object({
    v: z.union([...sendVersionSchema.options, z.literal(TAIL_VERSION)]),
    ...sendShape,
    /** How many mailers had no connection for them, and left them to others. */
    passes: z.int().nonnegative().optional(),
    messages: z.array(message).min(1).max(MAX_MESSAGES_PER_EVENT),
  });
}

/** The XML of an invoice, to be attached to a PDF, and what the page must agree with. */
export const pdfInvoiceSchema = z.object({
  xml: contentSchema,
  profile: z.enum(INVOICE_PROFILES),
  /** `GrandTotalAmount`, as in the XML. */
  grandTotal: z.string(),
  /** `DuePayableAmount`, as in the XML. */
  duePayable: z.string(),
});

/** The XML of an invoice, to be attached to a PDF. */
export type PdfInvoice = z.infer<typeof pdfInvoiceSchema>;

/** 48 or 32 bytes in base64. */
const entrySchema = z.base64().length(64);
const keySchema = z.base64().length(44);

/**
 * What encrypts a PDF (ISO 32000-2, 7.6.4): the key of the file, and the entries of its encryption dictionary.
 * They were made from a password, which is in no event.
 */
export const pdfEncryptionSchema = z.object({
  key: keySchema,
  u: entrySchema,
  ue: keySchema,
  o: entrySchema,
  oe: keySchema,
});

/** What encrypts a PDF. */
export type PdfEncryption = z.infer<typeof pdfEncryptionSchema>;

/** A PDF that is still to be printed. */
export const pdfSourceSchema = z.object({
  templateId: z.int(),
  filename: z.string(),
  html: contentSchema,
  page: keptPageOptionsSchema,
  invoice: pdfInvoiceSchema.optional(),
  /** Required if the page options name a variable with a password. */
  encryption: pdfEncryptionSchema.optional(),
  /** The PDFs that are appended, in base64. Required if the page options name some. */
  append: z.array(contentSchema).optional(),
});

/** A PDF: in the object store under a key, or in the event's tail. */
const pdfObjectSchema = z.union([
  z.object({
    filename: z.string(),
    /** Its key in the store: SHA-256 of its input. */
    key: z.string(),
    /** In bytes. */
    size: z.int().nonnegative(),
  }),
  z.object({
    filename: z.string(),
    ...tailPlaceSchema.shape,
  }),
]);

/** A rendered message, whose PDFs are still to be printed. */
const renderedMessageSchema = z.object({ ...messageShape, pdfs: z.array(pdfSourceSchema) });

/** A rendered message, whose PDFs are still to be printed. */
export type RenderedMessage = z.infer<typeof renderedMessageSchema>;

/** A message that has all its PDFs. */
const printedMessageSchema = z.object({
  ...messageShape,
  attachments: z.array(pdfObjectSchema),
});

/** A message that has all its PDFs. */
export type PrintedMessage = z.infer<typeof printedMessageSchema>;

/** The subject of a status event. Status events contain no personal data. */
const statusEventShape = {
  messageId: z.string(),
  sendId: z.string(),
  accountId: z.string(),
  index: z.int().nonnegative(),
  /**
   * Number of the attempt that ended, from 1. Of a message that waits, was returned or dropped, or failed outside of an
   * attempt: the number of attempts before.
   */
  attempt: z.int().nonnegative(),
  /** The integration of the attempt; missing if there was none. */
  integrationId: z.int().positive().optional(),
  /** When it happened, ISO 8601. */
  at: z.iso.datetime(),
  /** Duration of the stage's work, in milliseconds. */
  durationMs: z.number().nonnegative().optional(),
};

/** Events of one message, by the type of the status event. */
export const MESSAGE_STATUS = {
  /** A message waits for a time before it can be prepared: nothing was attempted. */
  "status.message.waiting": z.object({
    ...statusEventShape,
    reason: z.string(),
    nextAt: z.iso.datetime(),
  }),
  /** A printer or a mailer returns a message without an attempt: it has no capacity for it now. */
  "status.message.returned": z.object({
    ...statusEventShape,
    integrationId: z.int().positive(),
    /** The integration of the send, if another one was to send in its place. */
    insteadOf: z.int().positive().optional(),
    /** When its send was accepted, or was due to start, ISO 8601. */
    acceptedAt: z.iso.datetime(),
    /** The stage without capacity, if it is not the mailer. */
    stage: z.literal("pdf").optional(),
  }),
  /** A mailer drops a message: its attempt has ended (it was canceled, for example), or is another mailer's. */
  "status.message.dropped": z.object({
    ...statusEventShape,
    integrationId: z.int().positive(),
  }),
  "status.message.sent": z.object({
    ...statusEventShape,
    reply: smtpReplySchema,
    warnings: z.array(messageWarningSchema).optional(),
  }),
  "status.message.deferred": z.object({
    ...statusEventShape,
    reason: z.string(),
    reply: smtpReplySchema.optional(),
    /** Missing while it waits for its integration. */
    nextAt: z.iso.datetime().optional(),
  }),
  "status.message.unknown": z.object({ ...statusEventShape, reason: z.string() }),
  /** Its recipient is on the suppression list: nothing was attempted. */
  "status.message.suppressed": z.object({ ...statusEventShape, reason: z.string() }),
  "status.message.failed": z.object({
    ...statusEventShape,
    /**
     * The stage that failed; `pipeline` if none did: the message waited too long, or its event could not be read, or ended
     * its workers.
     */
    stage: z.enum(["renderer", "pdf", "mailer", "pipeline"]),
    reason: z.string(),
    reply: smtpReplySchema.optional(),
  }),
} as const satisfies Record<`status.message.${string}`, z.ZodType>;

/** Name of a message's status event. */
export type MessageStatusType = keyof typeof MESSAGE_STATUS;

/** Data of a message's status event. */
export type MessageStatusData<T extends MessageStatusType> = z.infer<(typeof MESSAGE_STATUS)[T]>;

/** Returns the schema of a group of messages' status events, from any sends. */
function reportOf<T extends z.ZodType>(statusEvent: T) {
  return z.preprocess(
    ofEarlier,
    z.object({
      v: z.literal(STATUS_VERSION),
      outcomes: z.array(statusEvent).min(1).max(MAX_OUTCOMES_PER_EVENT),
    }),
  );
}

/** Reads a report of version 2, which an earlier process makes during an upgrade: it calls the outcomes `facts`. */
function ofEarlier(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return data;
  if (!("v" in data && data.v === EVENT_VERSION && "facts" in data)) return data;
  const { facts: outcomes, ...rest } = data;
  return { ...rest, v: STATUS_VERSION, outcomes };
}

/**
 * Everything that services exchange, as schemas by name. The first five are work, which is consumed once; the
 * `status.*` at the end report what happened.
 */
export const EVENTS = {
  "render.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    templateId: z.int(),
    version: z.int(),
    /** BCP 47 tag of the wanted language. */
    locale: z.string().optional(),
    variables: variablesSchema,
    /** Variables of other requests for the same version and language; each gets its own answer. */
    others: z.array(variablesSchema).max(MAX_RENDERS - 1).optional(),
  }),
  /** A send that was just accepted, or a part of it, complete enough to render without a look-up. */
  "send.requested": z.object({
    v: sendVersionSchema,
    ...sendShape,
    template: z.object({ id: z.int(), version: z.int() }),
    pdfVersions: z.record(z.string(), z.int()),
    variables: variablesSchema.optional(),
    recipients: z.array(requestedRecipientSchema),
  }),
  /**
   * Some messages of a send, by reference: the reader finds the rest in the ledger. Used for messages that
   * are due again, that were lost, or whose recipient is too large for an event.
   */
  "send.resumed": z.object({
    v: sendVersionSchema,
    sendId: z.string(),
    accountId: z.string(),
    priority: prioritySchema,
    again: z.array(resumedMessageSchema).min(1).max(RESUMED_PER_EVENT),
    /** The integration that sends them, if not the send's own. A renderer that does not know it uses that one. */
    integrationId: z.int().positive().optional(),
    redelivered: redeliveredSchema,
  }),
  /**
   * Rendered messages. With `pdfs` they go to the pdf service, without to the mailer; all of an event, or
   * none.
   */
  "messages.rendered": messagesOf(renderedMessageSchema),
  /** Messages that have all their PDFs. */
  "messages.printed": messagesOf(printedMessageSchema),

  /** An unpublished template, to be shown to its author; answered. */
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
        /** Whether its images are fetched. */
        page: keptPageOptionsSchema.optional(),
        invoice: contentSchema.optional(),
      }),
    ]),
    declarations: z.array(keptDeclarationSchema),
    locale: z.string(),
    variables: variablesSchema,
    /** What it may include, as JSON of {@linkcode includesSchema}. */
    includes: contentSchema.optional(),
    /** Files to use instead of those that the account keeps under their names, as JSON of pinned files. */
    assets: contentSchema.optional(),
    /** Whether the answer includes the parts that would be published. */
    compiled: z.boolean().optional(),
  }),
  /** The content of an accepted message, made again from its pinned versions; answered. */
  "content.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    /** Empty if a message is given. */
    sendId: z.string(),
    index: z.int().nonnegative(),
    /** A message that is in no ledger, to be filled instead. */
    given: givenMessageSchema.optional(),
    /** One PDF template, to be filled instead of a message. */
    pdf: z.object({
      id: z.int(),
      version: z.int(),
      locale: z.string().optional(),
      variables: variablesSchema,
    }).optional(),
    /** Whether only the file names of its PDFs are needed: their documents are then empty. */
    namesOnly: z.boolean().optional(),
  }),
  /** A filled PDF template, to be printed while a person waits; answered. */
  "print.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    name: z.string(),
    html: contentSchema,
    page: keptPageOptionsSchema,
    invoice: pdfInvoiceSchema.optional(),
    /** Required if the page options name a variable with a password. */
    encryption: pdfEncryptionSchema.optional(),
    /** The PDFs that are appended, in base64. Required if the page options name some. */
    append: z.array(contentSchema).optional(),
  }),
  /** A customer's SMTP server, to be tried without sending anything; answered. */
  "probe.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    settings: probeSettingsSchema,
  }),
  /** The code of a person's consent, to be exchanged for a refresh token; answered. */
  "consent.requested": z.object({
    v: z.literal(EVENT_VERSION),
    accountId: z.string(),
    integrationId: z.int().positive(),
    /** A {@linkcode consentGrantSchema} as JSON, sealed for the integration. */
    grant: sealedSecretSchema,
  }),
  /** A test event, to be sent to an endpoint while a person waits; answered. */
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
    /** The number of its messages; missing from older processes. */
    recipients: z.int().positive().optional(),
    /** Whether it waits for capacity: the api has dispatched nothing of it. */
    waits: z.boolean().optional(),
  }),
  /** How often the lease of the scheduler was renewed: a ledger that knows fewer renewals was restored. */
  "status.lease.renewed": z.object({
    v: z.literal(EVENT_VERSION),
    renewals: z.int().positive(),
  }),
  "status.message.waiting": reportOf(MESSAGE_STATUS["status.message.waiting"]),
  "status.message.returned": reportOf(MESSAGE_STATUS["status.message.returned"]),
  "status.message.dropped": reportOf(MESSAGE_STATUS["status.message.dropped"]),
  "status.message.sent": reportOf(MESSAGE_STATUS["status.message.sent"]),
  "status.message.deferred": reportOf(MESSAGE_STATUS["status.message.deferred"]),
  "status.message.unknown": reportOf(MESSAGE_STATUS["status.message.unknown"]),
  "status.message.suppressed": reportOf(MESSAGE_STATUS["status.message.suppressed"]),
  "status.message.failed": reportOf(MESSAGE_STATUS["status.message.failed"]),
} as const satisfies Record<string, z.ZodType>;

/** Name of an event. */
export type EventType = keyof typeof EVENTS;

/** Data of an event. */
export type EventData<T extends EventType> = z.infer<(typeof EVENTS)[T]>;

const NEWEST: Partial<Record<EventType, number>> = {
  "send.requested": ENVELOPE_VERSION,
  "send.resumed": ENVELOPE_VERSION,
  "messages.rendered": TAIL_VERSION,
  "messages.printed": TAIL_VERSION,
};

/** Returns the newest version of an event that this program reads. */
export function newestVersionOf(type: EventType): number {
  if (type.startsWith("status.message.")) return STATUS_VERSION;
  return NEWEST[type] ?? EVENT_VERSION;
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
