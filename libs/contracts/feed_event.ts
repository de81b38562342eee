import { z } from "zod";
import { TEMPLATE_KINDS } from "./documents.ts";
import { MAX_LIST_LIMIT } from "./list.ts";
import { messageWarningSchema } from "./message_warning.ts";
import { publishedStateSchema } from "./message_state.ts";

/** Types of message events. */
export const MESSAGE_EVENT_TYPES = [
  "message.sent",
  "message.deferred",
  "message.failed",
  "message.unknown",
  "message.canceled",
  "message.retried",
  "recipient.suppressed",
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

/** The template and the integration of a mail, and its labels: of a message, or of a send. */
const ABOUT = {
  template: z.strictObject({ id: z.int(), alias: z.string().nullable(), version: z.int() }),
  integrationId: z.int(),
  /** Missing if it belongs to none. */
  batchId: z.string().optional(),
  reference: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
};

/** Data of a message event. Its `reason` comes from {@linkcode eventReason}; the server's text is left out. */
const messageEventDataSchema = z.strictObject({
  messageId: z.string(),
  sendId: z.string(),
  state: publishedStateSchema,
  /** The attempt whose outcome it is. Among the events of a message, a later one has the higher number. */
  attempt: z.int().nonnegative(),
  /** While `deferred`: when it is tried again. Missing while it waits for its integration. */
  nextAt: z.iso.datetime().optional(),
  reason: z.string().optional(),
  reply: z.strictObject({ code: z.int().optional(), enhanced: z.string().optional() }).optional(),
  /** Of a sent mail. Missing if there are none. */
  warnings: z.array(messageWarningSchema).optional(),
  /** Only in the webhooks of endpoints that request it. */
  email: z.string().optional(),
  ...ABOUT,
});

/** Data of a message event. */
export type MessageEventData = z.infer<typeof messageEventDataSchema>;

/** Data of the event that a send is settled. */
const sendEventDataSchema = z.strictObject({
  sendId: z.string(),
  messageCount: z.int().positive(),
  /** How many messages are in each state that occurs. */
  states: z.partialRecord(publishedStateSchema, z.int()),
  ...ABOUT,
});

/** Data of a send event. */
export type SendEventData = z.infer<typeof sendEventDataSchema>;

/** Schema of an integration event's data. */
const integrationEventDataSchema = z.strictObject({
  integrationId: z.int(),
  reason: z.string(),
});

/** Data of an integration event. */
export type IntegrationEventData = z.infer<typeof integrationEventDataSchema>;

/** Schema of a template event's data. */
const templateEventDataSchema = z.strictObject({
  kind: z.enum(TEMPLATE_KINDS),
  templateId: z.int(),
  /** Missing when it was archived. */
  version: z.int().optional(),
});

/** Data of a template event. */
export type TemplateEventData = z.infer<typeof templateEventDataSchema>;

/** Schema of a webhook event's data. */
const webhookEventDataSchema = z.strictObject({
  webhookId: z.string(),
  reason: z.string().optional(),
});

/** Data of a webhook event. */
export type WebhookEventData = z.infer<typeof webhookEventDataSchema>;

/** The data's schema by the type of event. */
export const FEED_EVENT_DATA = {
  "message.sent": messageEventDataSchema,
  "message.deferred": messageEventDataSchema,
  "message.failed": messageEventDataSchema,
  "message.unknown": messageEventDataSchema,
  "message.canceled": messageEventDataSchema,
  "message.retried": messageEventDataSchema,
  "recipient.suppressed": messageEventDataSchema,
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

/** Data of an event. */
export type FeedEventData =
  | MessageEventData
  | SendEventData
  | IntegrationEventData
  | TemplateEventData
  | WebhookEventData;

/** Schema of an event as clients read it: from the feed, or as the body of a webhook. */
export const feedEventSchema = z.strictObject({
  id: z.string(),
  type: z.enum(FEED_EVENT_TYPES),
  /** When it happened. */
  timestamp: z.iso.datetime(),
  /** Its position in the account's feed: contiguous, from 1. 0 in a test, which is in no feed. */
  sequence: z.int().nonnegative(),
  data: z.union([
    messageEventDataSchema,
    sendEventDataSchema,
    integrationEventDataSchema,
    templateEventDataSchema,
    webhookEventDataSchema,
  ]),
});

/** An event as clients read it. */
export type FeedEvent = z.infer<typeof feedEventSchema>;

/** The longest wait of a request for events, in seconds. */
const MAX_FEED_WAIT_S = 20;

const TYPES = new RegExp(`^(?:${FEED_EVENT_TYPES.join("|").replaceAll(".", "\\.")}|,)*$`);

/** Query of `GET /v1/events`. */
export const FEED_QUERY = {
  after: z.string().max(1000).optional()
    .describe(
      "The `next` of the previous page, or `latest` to begin now; by default the oldest event",
    ),
  types: z.string().max(1000).regex(TYPES, {
    error: "must be types of events, separated by commas",
  })
    .optional().describe("Only these types, separated by commas"),
  limit: z.coerce.number<string>().int().min(1).max(MAX_LIST_LIMIT).default(MAX_LIST_LIMIT)
    .describe("Maximum number of events on the page"),
  wait: z.coerce.number<string>().min(0).max(MAX_FEED_WAIT_S).default(0)
    .describe("Seconds to wait for an event if there is none"),
};

/** Answer to `GET /v1/events`. */
export const feedPageSchema = z.strictObject({
  /** Oldest first. */
  data: z.array(feedEventSchema),
  /** Where to continue; always set. */
  next: z.string(),
});

/** Answer to `GET /v1/events`. */
export type FeedPageAnswer = z.infer<typeof feedPageSchema>;

/** The longest reason in an event, in characters. Reasons may quote long texts, such as addresses of images. */
const MAX_REASON_LENGTH = 600;

/** Returns a reason as events have it: with masked addresses, and cut if it is long. */
export function eventReason(reason: string): string {
  const masked = maskAddresses(reason);
  if (masked.length <= MAX_REASON_LENGTH) return masked.toWellFormed();
  const cut = masked.slice(0, MAX_REASON_LENGTH - 1);
  return `${cut.replace(/[\ud800-\udbff]$/, "")}…`.toWellFormed();
}

/** Begins where a word does: from every character on, it would take quadratic time on a long word. */
const ADDRESS = /(?<![^\s<>"(),;:[\]])[^\s<>"(),;:[\]]+@[^\s<>"(),;:[\]]+/gu;

/** Masks every mail address in a sentence. */
export function maskAddresses(text: string): string {
  return text.replace(ADDRESS, "***@***");
}
