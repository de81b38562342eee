import type { FeedEvent, Webhook, WebhookAttempt, WebhookHeader } from "@posthaste/contracts";
import type { RecordedEvent } from "@posthaste/storage";
import type { Poster } from "./post.ts";
import { signatureOf } from "./sign.ts";

/** The dependencies of delivering. */
export interface DeliverDeps {
  poster: Pick<Poster, "post">;
  now(): Date;
}

/** An event for an endpoint, with its opened secrets. */
export interface Outbound {
  webhook: Pick<Webhook, "url" | "accountId">;
  /** In the form in which they are shown. */
  secrets: readonly string[];
  event: FeedEvent;
}

/** One request, and the time that the endpoint requests for the next one. */
export interface DeliveredAttempt extends WebhookAttempt {
  /** Value of `Retry-After`. */
  retryAfter?: string | undefined;
}

/** Posts an event to an endpoint. Never throws: the error is in the attempt. */
export async function deliver(
  { webhook, secrets, event }: Outbound,
  { poster, now }: DeliverDeps,
  signal: AbortSignal,
): Promise<DeliveredAttempt> {
  const { url, accountId } = webhook;
  const at = now();
  const started = performance.now();
  const body = JSON.stringify(event);
  const timestamp = Math.floor(at.getTime() / 1000);
  const documented: Record<WebhookHeader, string> = {
    "webhook-id": event.id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf({ id: event.id, timestamp, body }, secrets),
  };
  const headers = {
    "content-type": "application/json",
    "user-agent": "Posthaste-Webhooks/1.0",
    ...documented,
  };
  const posted = await poster.post({ ...{ url, accountId }, headers, body }, signal);
  return { at, durationMs: Math.round(performance.now() - started), ...posted };
}

/** Returns an event in its posted form, with the recipient's address if the endpoint requests it. */
export function outboundEvent(
  { _id: id, type, at, sequence, data }: RecordedEvent,
  email: string | undefined,
): FeedEvent {
  const shown = email !== undefined && "messageId" in data ? { ...data, email } : data;
  return { id, type, timestamp: at.toISOString(), sequence, data: shown };
}

/** Returns whether an endpoint is subscribed to an event. */
export function isWanted(
  { types, filter: { templateIds, integrationIds, tags } }: Pick<Webhook, "types" | "filter">,
  { type, data }: Pick<RecordedEvent, "type" | "data">,
): boolean {
  if (types.length > 0 && !types.includes(type)) return false;
  const template = "template" in data
    ? data.template.id
    : "templateId" in data
    ? data.templateId
    : 0;
  const integration = "integrationId" in data ? data.integrationId : 0;
  const own = "tags" in data ? data.tags : [];
  return isIn(templateIds, template) && isIn(integrationIds, integration) &&
    (tags.length === 0 || own.some((tag) => tags.includes(tag)));
}

function isIn(wanted: readonly number[], id: number): boolean {
  return wanted.length === 0 || wanted.includes(id);
}
