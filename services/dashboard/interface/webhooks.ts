import type {
  FeedEventType,
  WebhookDelivery,
  WebhookReply,
  WebhookSettings,
} from "@posthaste/contracts";

/** Types of events that people choose from. A test is no event of the feed. */
export const EVENT_TYPES: readonly FeedEventType[] = [
  ...["message.sent", "message.deferred", "message.failed"] as const,
  ...["message.unknown", "message.canceled", "message.retried"] as const,
  "send.settled",
  ...["integration.suspended", "integration.paused", "integration.resumed"] as const,
  ...["integration.unreachable", "integration.reachable"] as const,
  ...["template.published", "template.archived"] as const,
  "webhook.disabled",
];

/** Whether an endpoint gets requests. */
export type WebhookState = "ready" | "failing" | "down" | "disabled";

/** One of `GET /api/webhooks`. */
export interface WebhookView extends WebhookSettings {
  id: string;
  state: WebhookState;
  /** Why it is disabled; null if it is not. */
  disabledReason: string | null;
  disabledAt: string | null;
  /** Events of the feed that it has not had. */
  behind: number;
  lastSuccessAt: string | null;
  lastFailure: { at: string; status: number | null; error: string } | null;
  /** While it is down: when it is tried again. */
  retryAt: string | null;
  /** Until when the secret before signs, too; null if there is none. */
  oldSecretUntil: string | null;
  createdAt: string;
  updatedAt: string;
}

/** Body of `POST /api/webhooks`; what is left out of that of `PATCH` stays. */
export type WebhookInput = Partial<WebhookSettings> & { url: string };

/** Answer to `POST /api/webhooks` and `…/rotate-secret`: the secret is shown this once. */
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
  /** What is posted, as JSON; null if the event is not kept any more. */
  body: string | null;
}

/** `POST /api/webhooks/{id}/test`. */
export type WebhookTestView = WebhookReply;
