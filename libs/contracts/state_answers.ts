import { z } from "zod";
import { smtpReplySchema } from "./documents.ts";
import { MESSAGE_STATES, messageStateSchema } from "./message_state.ts";

const timeSchema = z.iso.datetime();

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
});

/** Answer to an accepted send request. */
export type SendAccepted = z.infer<typeof sendAcceptedSchema>;

/** Answer to `GET /v1/sends/{id}`. */
export const sendStateSchema = z.strictObject({
  id: z.string(),
  acceptedAt: timeSchema,
  template: z.strictObject({ id: z.int(), version: z.int() }),
  integrationId: z.int(),
  messageCount: z.int(),
  settled: z.boolean(),
  /** How many messages are in each state that occurs. */
  states: z.partialRecord(z.enum(MESSAGE_STATES), z.int()),
  messages: z.array(
    z.strictObject({ id: z.string(), email: z.string(), state: messageStateSchema }),
  ),
});

/** Answer to `GET /v1/messages/{id}`. */
export const messageDetailSchema = z.strictObject({
  id: z.string(),
  sendId: z.string(),
  email: z.string(),
  state: messageStateSchema,
  attempt: z.int().nonnegative(),
  acceptedAt: timeSchema,
  finishedAt: timeSchema.nullable(),
  nextAt: timeSchema.nullable(),
  reason: z.string().nullable(),
  reply: z.strictObject(smtpReplySchema.shape).nullable(),
  /** Why it waits for its integration, and for how many others; null if it does not. */
  waiting: z.strictObject({ reason: z.string(), ahead: z.int().nonnegative() }).nullable(),
  timeline: z.array(z.strictObject({
    at: timeSchema,
    type: messageStateSchema,
    attempt: z.int().nonnegative(),
    durationMs: z.int().nonnegative().optional(),
    detail: z.string().optional(),
    ambiguous: z.boolean().optional(),
  })),
});
