import type { Webhook, WebhookDelivery } from "@posthaste/contracts";
import type { RecordedEvent } from "@posthaste/storage";
import type { DeliveredAttempt } from "./deliver.ts";
import { retryAfterMs, retryAt } from "./retry_at.ts";

const DAY_MS = 24 * 3_600_000;
const DELIVERED_KEPT_MS = 7 * DAY_MS;
const FAILED_KEPT_MS = 30 * DAY_MS;
const MAX_ATTEMPTS = 12;

/** An attempt to deliver an event. */
export interface Delivering {
  webhook: Pick<Webhook, "_id" | "accountId">;
  event: Pick<RecordedEvent, "_id" | "type">;
  /** The delivery before this attempt, if there was one. */
  before: WebhookDelivery | undefined;
  attempt: DeliveredAttempt;
}

/**
 * Returns a delivery after an attempt. A failure of an endpoint that is down does not count: the event is tried as
 * often as any other once the endpoint is back.
 *
 * @param isTrial Whether the endpoint was down.
 */
export function deliveryAfter(
  { webhook, event, before, attempt }: Delivering,
  { isTrial, random }: { isTrial: boolean; random: number },
): WebhookDelivery {
  const { retryAfter, ...shown } = attempt;
  const { at, error } = attempt;
  const isFailed = error !== undefined;
  const tries = (before?.tries ?? 0) + (isFailed && !isTrial ? 1 : 0);
  const again = isTrial
    ? before?.nextAt ?? at
    : retryAt({ tries, now: at, random, retryAfterMs: retryAfterMs(retryAfter, at) });
  const nextAt = isFailed ? again : null;
  const keptMs = isFailed ? FAILED_KEPT_MS : DELIVERED_KEPT_MS;
  return {
    _id: `${webhook._id}/${event._id}`,
    ...{ accountId: webhook.accountId, webhookId: webhook._id, eventId: event._id },
    type: event.type,
    state: isFailed ? nextAt === null ? "failed" : "retrying" : "delivered",
    ...{ tries, nextAt },
    attempts: [...before?.attempts ?? [], shown].slice(-MAX_ATTEMPTS),
    at: before?.at ?? at,
    expiresAt: new Date(at.getTime() + keptMs),
  };
}
