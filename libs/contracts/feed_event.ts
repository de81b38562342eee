import { z } from "zod";
import { TEMPLATE_KINDS } from "./documents.ts";
import { MAX_LIST_LIMIT } from "./list.ts";
import { MESSAGE_STATES, messageStateSchema } from "./message_state.ts";

/** What can happen to an account's messages, as types of events. */
export const MESSAGE_EVENT_TYPES = [
  "message.sent",
  "message.deferred",
  "message.failed",
  "message.unknown",
  "message.canceled",
  "message.retried",
] as const;

const INTEGRATION_EVENT_TYPES = [
  "integration.suspended",
  "integration.paused",
  "integration.resumed",
  "integration.unreachable",
  "integration.reachable",
] as const;

/** Every type of event in the feed. Clients ignore those that they do not know. */
export const FEED_EVENT_TYPES = [
  ...MESSAGE_EVENT_TYPES,
  "send.settled",
  ...INTEGRATION_EVENT_TYPES,
  "template.published",
  "template.archived",
  "webhook.disabled",
  "webhook.test",
] as const;

/** A type of event in the feed. */
export type FeedEventType = (typeof FEED_EVENT_TYPES)[number];

/** What mail was made of, and how it is marked: of a message, or of a send. */
const ABOUT = {
  template: z.strictObject({ id: z.int(), alias: z.string().nullable(), version: z.int() }),
  integrationId: z.int(),
  reference: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
};

/** What an event says of a message. Addresses in `reason` are masked; the server's words are left out. */
export const messageEventDataSchema = z.strictObject({
  messageId: z.string(),
  sendId: z.string(),
  state: messageStateSchema,
  /** The attempt that it is the outcome of; of several events of a message, the later has the higher. */
  attempt: z.int().nonnegative(),
  /** While `deferred`: when it is tried again. Missing while it waits for its integration. */
  nextAt: z.iso.datetime().optional(),
  reason: z.string().optional(),
  reply: z.strictObject({ code: z.int().optional(), enhanced: z.string().optional() }).optional(),
  /** Only in the webhooks of endpoints that want it. */
  email: z.string().optional(),
  ...ABOUT,
});

/** What an event says of a message. */
export type MessageEventData = z.infer<typeof messageEventDataSchema>;

/** What an event says of a send whose messages are all in a final state. */
export const sendEventDataSchema = z.strictObject({
  sendId: z.string(),
  messageCount: z.int().positive(),
  /** How many messages are in each state that occurs. */
  states: z.partialRecord(z.enum(MESSAGE_STATES), z.int()),
  ...ABOUT,
});

/** What an event says of a send. */
export type SendEventData = z.infer<typeof sendEventDataSchema>;

/** What an event says of an integration. */
export const integrationEventDataSchema = z.strictObject({
  integrationId: z.int(),
  reason: z.string(),
});

/** What an event says of an integration. */
export type IntegrationEventData = z.infer<typeof integrationEventDataSchema>;

/** What an event says of a template. */
export const templateEventDataSchema = z.strictObject({
  kind: z.enum(TEMPLATE_KINDS),
  templateId: z.int(),
  /** Missing when it was archived. */
  version: z.int().optional(),
});

/** What an event says of a template. */
export type TemplateEventData = z.infer<typeof templateEventDataSchema>;

/** What an event says of a webhook endpoint. */
export const webhookEventDataSchema = z.strictObject({
  webhookId: z.string(),
  reason: z.string().optional(),
});

/** What an event says of a webhook endpoint. */
export type WebhookEventData = z.infer<typeof webhookEventDataSchema>;

/** What each type of event says. */
export const FEED_EVENT_DATA = {
  "message.sent": messageEventDataSchema,
  "message.deferred": messageEventDataSchema,
  "message.failed": messageEventDataSchema,
  "message.unknown": messageEventDataSchema,
  "message.canceled": messageEventDataSchema,
  "message.retried": messageEventDataSchema,
  "send.settled": sendEventDataSchema,
  "integration.suspended": integrationEventDataSchema,
  "integration.paused": integrationEventDataSchema,
  "integration.resumed": integrationEventDataSchema,
  "integration.unreachable": integrationEventDataSchema,
  "integration.reachable": integrationEventDataSchema,
  "template.published": templateEventDataSchema,
  "template.archived": templateEventDataSchema,
  "webhook.disabled": webhookEventDataSchema,
  "webhook.test": webhookEventDataSchema,
} as const satisfies Record<FeedEventType, z.ZodType>;

/** What an event says. */
export type FeedEventData =
  | MessageEventData
  | SendEventData
  | IntegrationEventData
  | TemplateEventData
  | WebhookEventData;

/** An event as it is read: from the feed, or as the body of a webhook. */
export const feedEventSchema = z.strictObject({
  id: z.string(),
  type: z.enum(FEED_EVENT_TYPES),
  /** When it happened. */
  timestamp: z.iso.datetime(),
  /** Its place in the account's feed: contiguous, from 1. 0 in a test, which is in no feed. */
  sequence: z.int().nonnegative(),
  data: z.union([
    messageEventDataSchema,
    sendEventDataSchema,
    integrationEventDataSchema,
    templateEventDataSchema,
    webhookEventDataSchema,
  ]),
});

/** An event as it is read. */
export type FeedEvent = z.infer<typeof feedEventSchema>;

/** The longest that a request for events is held, in seconds. */
export const MAX_FEED_WAIT_S = 20;

const TYPES = new RegExp(`^(?:${FEED_EVENT_TYPES.join("|").replaceAll(".", "\\.")}|,)*$`);

/** What `GET /v1/events` takes. */
export const FEED_QUERY = {
  after: z.string().max(1000).optional()
    .describe(
      "The `next` of the page before, or `latest`: from now on. From the oldest without it",
    ),
  types: z.string().max(1000).regex(TYPES, { error: "must be types of events, with commas" })
    .optional().describe("Only these types, with commas"),
  limit: z.coerce.number<string>().int().min(1).max(MAX_LIST_LIMIT).default(MAX_LIST_LIMIT)
    .describe("Events of the page, at most"),
  wait: z.coerce.number<string>().min(0).max(MAX_FEED_WAIT_S).default(0)
    .describe("Seconds to wait for an event where there is none"),
};

/** Answer to `GET /v1/events`. */
export const feedPageSchema = z.strictObject({
  /** Oldest first. */
  data: z.array(feedEventSchema),
  /** Where to read on; always set. */
  next: z.string(),
});

/** Answer to `GET /v1/events`. */
export type FeedPageAnswer = z.infer<typeof feedPageSchema>;

const ADDRESS = /[^\s<>"'(),;:[\]]+@[^\s<>"'(),;:[\]]+/gu;

/** Returns a sentence with every mail address in it masked. */
export function maskAddresses(text: string): string {
  return text.replace(ADDRESS, "***@***");
}
