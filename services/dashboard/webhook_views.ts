import type { FeedEventType, Webhook, WebhookDelivery } from "@posthaste/contracts";
import type { WebhookDeliveryView, WebhookState, WebhookView } from "./interface/webhooks.ts";

/**
 * The different events in a row that must fail before the webhooks service treats an endpoint as
 * down.
 */
const DOWN_AFTER = 5;

/**
 * Returns the view of an endpoint, without its secrets.
 *
 * @param newest Sequence number of the last event of the account's feed.
 */
export function webhookViewOf(webhook: Webhook, newest: number): WebhookView {
  const { _id: id, url, description, types, filter, withAddress, maxPerSecond } = webhook;
  const { health, disabled, position, secrets, createdAt, updatedAt } = webhook;
  const { lastFailure } = health;
  return {
    ...{ id, url, description, types, filter, withAddress, maxPerSecond },
    state: stateOf(webhook),
    disabledReason: disabled?.reason ?? null,
    disabledAt: disabled?.at.toISOString() ?? null,
    behind: Math.max(0, newest - position),
    lastSuccessAt: health.lastSuccessAt?.toISOString() ?? null,
    lastFailure: lastFailure && { ...lastFailure, at: lastFailure.at.toISOString() },
    retryAt: health.retryAt?.toISOString() ?? null,
    oldSecretUntil: secrets[1]?.until?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function stateOf({ disabled, health: { failures } }: Webhook): WebhookState {
  if (disabled !== null) return "disabled";
  if (failures >= DOWN_AFTER) return "down";
  return failures > 0 ? "failing" : "ready";
}

/** Returns the view of an event's delivery to an endpoint. */
export function deliveryViewOf(
  { eventId, type, state, tries, nextAt, at, attempts }: WebhookDelivery,
): WebhookDeliveryView {
  return {
    ...{ eventId, type: type as FeedEventType, state, tries },
    nextAt: nextAt?.toISOString() ?? null,
    at: at.toISOString(),
    attempts: attempts.map(({ at, status, durationMs, error = null, answer = "" }) => ({
      ...{ at: at.toISOString(), status, durationMs, error, answer },
    })),
  };
}
