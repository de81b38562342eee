import { z } from "zod";
import { FEED_EVENT_TYPES } from "./feed_event.ts";
import type { SealedSecret } from "./sealed_secret.ts";

/** The most webhook endpoints of an account. */
export const MAX_WEBHOOKS = 20;

/** The most deliveries that one request repeats. */
export const MAX_REPLAY = 10_000;

/** The most requests per second to one endpoint. */
export const MAX_WEBHOOK_RATE = 500;

const ids = z.array(z.int().positive()).max(100).default([]);

/** The settings of a webhook endpoint. */
export const WEBHOOK_FIELDS = {
  /** `https`. The operator may allow `http` to addresses of its own networks. */
  url: z.string().max(2000).refine(isWebhookUrl, {
    error: "must be a URL with https, without a user name and a fragment",
  }),
  description: z.string().max(200).default(""),
  /** An empty list means all. */
  types: z.array(z.enum(FEED_EVENT_TYPES)).max(FEED_EVENT_TYPES.length).default([]),
  /** Events of other templates, integrations or labels are left out. An empty list leaves out nothing. */
  filter: z.strictObject({
    templateIds: ids,
    integrationIds: ids,
    tags: z.array(z.string().min(1).max(64)).max(100).default([]),
  }).prefault({}),
  /** Whether events of messages contain the recipient's address. */
  withAddress: z.boolean().default(false),
  maxPerSecond: z.int().min(1).max(MAX_WEBHOOK_RATE).default(50),
};

/** Schema of a new endpoint's settings. */
export const webhookSettingsSchema = z.strictObject(WEBHOOK_FIELDS);

/** The settings of an endpoint. */
export type WebhookSettings = z.infer<typeof webhookSettingsSchema>;

/** Returns whether a text may be the URL of an endpoint. Its addresses are checked at every request. */
function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ["https:", "http:"].includes(url.protocol) && url.hostname !== "" &&
    url.username === "" && url.password === "" && url.hash === "";
}

/** The causes for which an endpoint gets no requests. */
const WEBHOOK_DISABLED_BY = ["person", "gone", "failing"] as const;

/** The state of an endpoint. */
export interface WebhookHealth {
  /** Consecutive failures of different events. From five on, the endpoint counts as down. */
  failures: number;
  /** The event that failed last. */
  lastFailedEvent: string | null;
  /** Since when every request has failed. */
  failingSince: Date | null;
  /** While it is down: when it is tried again. */
  retryAt: Date | null;
  /** Until this time, only one request at a time is made. */
  slowUntil: Date | null;
  lastSuccessAt: Date | null;
  lastFailure: { at: Date; status: number | null; error: string } | null;
}

/** The state of a new endpoint. */
export const UNKNOWN_HEALTH: WebhookHealth = {
  ...{ failures: 0, lastFailedEvent: null, failingSince: null, retryAt: null, slowUntil: null },
  ...{ lastSuccessAt: null, lastFailure: null },
};

/** A secret that requests are signed with. */
export interface WebhookSecret {
  sealed: SealedSecret;
  /** Time after which it signs nothing; null for the current one. */
  until: Date | null;
}

/** A webhook endpoint: a reader of its account's feed. */
export interface Webhook extends WebhookSettings {
  /** `whk_` and a ULID. */
  _id: string;
  accountId: string;
  /** The current one first. */
  secrets: WebhookSecret[];
  /** Sequence up to which its events are delivered, or are deliveries of their own. */
  position: number;
  health: WebhookHealth;
  disabled: { at: Date; by: (typeof WEBHOOK_DISABLED_BY)[number]; reason: string } | null;
  createdAt: Date;
  updatedAt: Date;
  /** When its URL got another host; missing if it never did. */
  movedAt?: Date;
}

/** One request of a delivery. */
export interface WebhookAttempt {
  at: Date;
  /** Null if no answer came. */
  status: number | null;
  durationMs: number;
  /** A sentence; missing when it succeeded. */
  error?: string;
  /** The first 1 KB of the answer. */
  answer?: string;
}

/** The states of an event's delivery to an endpoint. */
export const WEBHOOK_DELIVERY_STATES = ["delivered", "retrying", "failed"] as const;

/** The delivery of an event to an endpoint. */
export interface WebhookDelivery {
  /** `<webhook>/<event>` */
  _id: string;
  accountId: string;
  webhookId: string;
  eventId: string;
  type: string;
  state: (typeof WEBHOOK_DELIVERY_STATES)[number];
  /** Failures that count: not those while the endpoint is down. */
  tries: number;
  /** While `retrying`. */
  nextAt: Date | null;
  /** The most recent ones. */
  attempts: WebhookAttempt[];
  /** When the first request was made. */
  at: Date;
  expiresAt: Date;
}

/** Reply to `webhook.requested`. */
export const webhookReplySchema = z.object({
  ok: z.boolean(),
  /** Null if no answer came. */
  status: z.int().nullable(),
  durationMs: z.number().nonnegative(),
  error: z.string().nullable(),
  /** The first 1 KB of the answer. */
  answer: z.string(),
});

/** Reply to `webhook.requested`. */
export type WebhookReply = z.infer<typeof webhookReplySchema>;
