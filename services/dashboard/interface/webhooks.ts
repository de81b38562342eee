import {
  FEED_EVENT_TYPES,
  type FeedEventType,
  type WebhookDelivery,
  type WebhookReply,
  type WebhookSettings,
} from "@posthaste/contracts";

/** Types of events that people choose from. A test is not an event of the feed. */
export const EVENT_TYPES: readonly FeedEventType[] = FEED_EVENT_TYPES
  .filter((type) => type !== "webhook.test");

/** Whether an endpoint gets requests. */
export type WebhookState = "ready" | "failing" | "down" | "disabled";

/** One of `GET /api/webhooks`. */
export interface WebhookView extends WebhookSettings {
  id: string;
  state: WebhookState;
  /** Why it is disabled; null if it is not. */
  disabledReason: string | null;
  disabledAt: string | null;
  /** Events of the feed that are not yet delivered to it. */
  behind: number;
  lastSuccessAt: string | null;
  lastFailure: { at: string; status: number | null; error: string } | null;
  /** While it is down: when it is tried again. */
  retryAt: string | null;
  /** Until when the previous secret signs, too; null if there is none. */
  oldSecretUntil: string | null;
  createdAt: string;
  updatedAt: string;
}

/** Body of `POST /api/webhooks`; in `PATCH`, missing fields stay unchanged. */
export type WebhookInput = Partial<WebhookSettings> & { url: string };

/** Answer to `POST /api/webhooks` and `…/rotate-secret`: the secret is returned only once. */
export interface NewWebhookView {
  webhook: WebhookView;
  secret: string;
}

/** One of `GET /api/webhooks/{id}/deliveries`. */
export interface WebhookDeliveryView {
  eventId: string;
  type: FeedEventType;
  state: WebhookDelivery["state"];
  tries: number;
  nextAt: string | null;
  at: string;
  attempts: {
    at: string;
    status: number | null;
    durationMs: number;
    error: string | null;
    answer: string;
  }[];
}

/** `GET /api/webhooks/{id}/deliveries`. */
export interface WebhookDeliveryList {
  rows: WebhookDeliveryView[];
  /** Where the next page begins; null after the last. */
  next: string | null;
}

/** `GET /api/webhooks/{id}/deliveries/{eventId}`. */
export interface WebhookDeliveryDetail extends WebhookDeliveryView {
  /** The posted body, as JSON; null if the event is not kept any more. */
  body: string | null;
}

/** `POST /api/webhooks/{id}/replay`. */
export interface WebhookReplayed {
  /** At most `MAX_REPLAY`, oldest first. */
  queued: number;
  /** The `from` of the next request if there are more; null if there are none. */
  next: string | null;
}

/** `POST /api/webhooks/{id}/test`. */
export type WebhookTestView = WebhookReply;
