import { z } from "zod";
import { copyRefusedSchema, smtpReplySchema, timelineEntrySchema } from "./documents.ts";
import { publishedStateSchema } from "./message_state.ts";
import { sendWarningSchema } from "./send_warning.ts";

const timeSchema = z.iso.datetime();

const replySchema = z.strictObject(smtpReplySchema.shape);

/** Answer to a render request. */
export const renderedSchema = z.strictObject({
  subject: z.string(),
  html: z.string(),
  text: z.string(),
});

/** Answer to a render request. */
export type Rendered = z.infer<typeof renderedSchema>;

/** Answer to an accepted send request. */
export const sendAcceptedSchema = z.strictObject({
  status: z.literal("success"),
  message: z.string(),
  /** Id of the send. */
  id: z.string(),
  /** One per recipient, in the order of the request. */
  messages: z.array(z.strictObject({ id: z.string(), email: z.string() })),
  /** Missing if there are no warnings. */
  warnings: z.array(sendWarningSchema).optional(),
});

/** Answer to an accepted send request. */
export type SendAccepted = z.infer<typeof sendAcceptedSchema>;

/** The labels of a send or a message. */
const LABELS = {
  reference: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
};

const PINNED = {
  template: z.strictObject({ id: z.int(), version: z.int() }),
  integrationId: z.int(),
};

/** Item of `GET /v1/sends`. */
export const sendFoundSchema = z.strictObject({
  id: z.string(),
  acceptedAt: timeSchema,
  ...PINNED,
  messageCount: z.int(),
  /** The batch that it belongs to; null if there is none. */
  batchId: z.string().nullable(),
  ...LABELS,
  settled: z.boolean(),
  settledAt: timeSchema.nullable(),
});

/** Answer to `GET /v1/sends/{id}`. */
export const sendStateSchema = sendFoundSchema.extend({
  /** The time that it is or was scheduled for; null if it was sent immediately. */
  sendAt: timeSchema.nullable(),
  /**
   * Why messages failed, wait for another attempt or have an unknown outcome, the most frequent first; at
   * most 50.
   */
  causes: z.array(z.strictObject({
    state: publishedStateSchema,
    reason: z.string().nullable(),
    /** Of the server's reply, as `enhanced`. */
    code: z.int().nullable(),
    enhanced: z.string().nullable(),
    /** The server's reply to one of them. */
    response: z.string().nullable(),
    count: z.int().positive(),
    /** The newest of them. */
    messageId: z.string(),
  })),
  /** How many messages are in each state that occurs. */
  states: z.partialRecord(publishedStateSchema, z.int()),
  messages: z.array(
    z.strictObject({ id: z.string(), email: z.string(), state: publishedStateSchema }),
  ),
});

/** Item of `GET /v1/messages`. */
export const messageFoundSchema = z.strictObject({
  id: z.string(),
  sendId: z.string(),
  email: z.string(),
  state: publishedStateSchema,
  attempt: z.int().nonnegative(),
  acceptedAt: timeSchema,
  finishedAt: timeSchema.nullable(),
  nextAt: timeSchema.nullable(),
  reason: z.string().nullable(),
  reply: replySchema.nullable(),
  /** Copies that the server refused, of a mail that was sent without them; missing if there are none. */
  copiesRefused: z.array(
    z.strictObject({ ...copyRefusedSchema.shape, reply: replySchema }),
  ).optional(),
  /** Why it waits for its integration, and how many others go first; null if it does not wait. */
  waiting: z.strictObject({ reason: z.string(), ahead: z.int().nonnegative() }).nullable(),
  ...PINNED,
  /** Whether its mail has PDFs; false for those of sends that an earlier version accepted. */
  hasPdfs: z.boolean(),
  ...LABELS,
});

/** Answer to `GET /v1/messages/{id}`. */
export const messageDetailSchema = messageFoundSchema.extend({
  /** The tag of its language variant; null for the template's own body, and in sends of earlier versions. */
  variant: z.string().nullable(),
  timeline: z.array(z.strictObject({
    ...timelineEntrySchema.shape,
    at: timeSchema,
    durationMs: z.int().nonnegative().optional(),
  })),
});

/** Answer to `GET /v1/messages/{id}/content`. */
export const messageContentSchema = z.strictObject({
  ...renderedSchema.shape,
  /** The tag of its language variant; null for the template's own body. */
  variant: z.string().nullable(),
  attachments: z.array(z.strictObject({
    index: z.int().nonnegative(),
    filename: z.string(),
    /** Its size; null for a PDF, which is printed again when it is read. */
    bytes: z.int().nonnegative().nullable(),
  })),
});

/** Answer to `POST /v1/sends/{id}/cancel`. */
export const sendCanceledSchema = z.strictObject({
  canceled: z.int().nonnegative(),
  /** Messages that have ended, or are being sent. */
  tooLate: z.int().nonnegative(),
});

/** Answer to `POST /v1/messages/cancel`. */
export const messagesCanceledSchema = z.strictObject({
  canceled: z.int().nonnegative(),
  /** Counts up to 1,000. */
  remaining: z.int().nonnegative(),
});

/** Answer to `POST /v1/messages/retry`. */
export const messagesRetriedSchema = z.strictObject({
  retried: z.int().nonnegative(),
  withoutContent: z.int().nonnegative(),
  /** Counts up to 1,000. */
  remaining: z.int().nonnegative(),
});
