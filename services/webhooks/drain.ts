import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  otherEventId,
  type Webhook,
  type WebhookDelivery,
  type WebhookHealth,
} from "@posthaste/contracts";
import type { Semaphore, TokenBuckets } from "@posthaste/limits";
import type { RecordedEvent, StorePart } from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import { deliver, type DeliverDeps, isWanted, outboundEvent } from "./deliver.ts";
import { deliveryAfter } from "./delivery_after.ts";
import {
  afterFailure,
  afterSuccess,
  type GivenUp,
  givenUp,
  isDown,
  placesOf,
} from "./endpoint_state.ts";

/** The dependencies of reading the feed for an endpoint. */
export type DrainDeps =
  & DeliverDeps
  & StorePart<
    | "events.list"
    | "events.record"
    | "events.findMany"
    | "events.bounds"
    | "webhooks.save"
    | "webhooks.dueDeliveries"
    | "webhooks.saveDeliveries"
    | "webhooks.emailsOfMessages"
  >
  & {
    /** Name of this process, which has claimed the endpoint. */
    holder: string;
    /** Opens the secrets that sign at a given time. */
    unseal(webhook: Webhook, now: Date): string[];
    /** Requests in flight: of all, and of one account. */
    permits: Pick<Semaphore, "acquire">;
    /** Returns the bucket of an endpoint with this many requests a second. */
    rateOf(perSecond: number): Pick<TokenBuckets, "take">;
    logger: Pick<Logger, "info" | "warn">;
  };

/** An event to post. */
interface Item {
  event: RecordedEvent;
  /** The delivery of earlier attempts. */
  before: WebhookDelivery | undefined;
}

interface Batch {
  items: Item[];
  /** Position after all are done; `undefined` if the feed is not read further. */
  end: number | undefined;
}

const FEED_BATCH_SIZE = 100;
const DUE_BATCH_SIZE = 40;

/**
 * Posts what an endpoint has not had, until there is nothing else, the endpoint is down or was changed, or the
 * signal aborts. Its position moves on past what was tried: what failed has a time of its own.
 */
export async function drain(
  webhook: Webhook,
  deps: DrainDeps,
  signal: AbortSignal,
): Promise<void> {
  let { health, position: saved } = webhook;
  let position = await startOf(webhook, deps);
  const save = async (changes: Parameters<typeof deps.webhooks.save>[2]) => {
    const isSaved = await deps.webhooks.save({ ...webhook, position: saved }, deps.holder, changes);
    saved = position;
    return isSaved;
  };
  while (!signal.aborted && placesOf(health, deps.now()) > 0) {
    const isTrial = isDown(health);
    const batch = await nextBatch({ ...webhook, position }, { isTrial }, deps);
    const { items, end } = batch;
    if (items.length === 0) {
      if (end === undefined || end === position) return;
      position = end;
      if (!await save({ position })) return;
      continue;
    }
    const posted = await post(webhook, { items, health, isTrial }, { deps, signal });
    health = posted.health;
    if (end !== undefined) {
      const undone = items.find((item) => !posted.done.has(item));
      position = undone === undefined ? end : undone.event.sequence - 1;
    }
    await deps.webhooks.saveDeliveries([...posted.done.values()]);
    const disabled = await disable(webhook, posted.givenUp, deps);
    const changes = { position, health, ...(disabled === null ? {} : { disabled }) };
    if (!await save(changes) || disabled !== null) return;
  }
}

/** Events that are no longer kept were missed. */
async function startOf(
  { _id, accountId, position }: Webhook,
  { events: { bounds: feedBounds }, logger }: DrainDeps,
): Promise<number> {
  const { oldest, newest } = await feedBounds(accountId);
  if (position >= oldest - 1 && position <= newest) return position;
  logger.warn("Events of a webhook endpoint are not kept any more", { webhook: _id, position });
  return position > newest ? newest : oldest - 1;
}

/**
 * Finds the events to post next. Due retries come first. An endpoint that is down is tried with a new event,
 * because an event that it never accepts must not keep it down.
 */
async function nextBatch(
  webhook: Webhook,
  { isTrial }: { isTrial: boolean },
  deps: DrainDeps,
): Promise<Batch> {
  const fresh = () => freshBatch(webhook, isTrial ? 1 : FEED_BATCH_SIZE, deps);
  const again = () => dueBatch(webhook, isTrial ? 1 : DUE_BATCH_SIZE, deps);
  const [first, second] = isTrial ? [fresh, again] : [again, fresh];
  const found = await first();
  return found.items.length > 0 || (found.end ?? webhook.position) !== webhook.position
    ? found
    : await second();
}

async function freshBatch(webhook: Webhook, limit: number, deps: DrainDeps): Promise<Batch> {
  const { accountId, position: after, types } = webhook;
  const wanted = types.length === 0 ? {} : { types };
  const { events, next } = await deps.events.list(accountId, { after, limit, ...wanted });
  const items = events.filter((event) => isWanted(webhook, event))
    .map((event) => ({ event, before: undefined }));
  return { items, end: next };
}

async function dueBatch(webhook: Webhook, limit: number, deps: DrainDeps): Promise<Batch> {
  const due = await deps.webhooks.dueDeliveries(webhook, { now: deps.now(), limit });
  const ids = due.map(({ eventId }) => eventId);
  const events = await deps.events.findMany(webhook.accountId, ids);
  const items: Item[] = [];
  const gone: WebhookDelivery[] = [];
  for (const before of due) {
    const event = events.get(before.eventId);
    if (event === undefined) gone.push({ ...before, state: "failed", nextAt: null });
    else items.push({ event, before });
  }
  await deps.webhooks.saveDeliveries(gone);
  return { items, end: undefined };
}

interface Posting {
  items: readonly Item[];
  health: WebhookHealth;
  /** Whether the endpoint is down, and this is a trial. */
  isTrial: boolean;
}

interface PostedItems {
  /** The attempted items with their results. */
  done: Map<Item, WebhookDelivery>;
  health: WebhookHealth;
  givenUp: GivenUp | undefined;
}

/** Posts items in their order, as many concurrently as the endpoint allows, until it allows none. */
async function post(
  webhook: Webhook,
  { items, health, isTrial }: Posting,
  { deps, signal }: { deps: DrainDeps; signal: AbortSignal },
): Promise<PostedItems> {
  const { now, permits } = deps;
  const result: PostedItems = { done: new Map(), health, givenUp: undefined };
  const emails = await emailsFor(webhook, items, deps);
  const secrets = deps.unseal(webhook, now());
  const rate = deps.rateOf(webhook.maxPerSecond);
  const waiting = [...items];

  const work = async (place: number) => {
    while (!signal.aborted && result.givenUp === undefined) {
      if (place >= placesOf(result.health, now())) return;
      const item = waiting.shift();
      if (item === undefined) return;
      await untilAllowed(webhook._id, rate, signal);
      using _permit = await permits.acquire(webhook.accountId, { signal });
      const { event, before } = item;
      const email = "messageId" in event.data ? emails.get(event.data.messageId) : undefined;
      const outbound = { webhook, secrets, event: outboundEvent(event, email) };
      const attempt = await deliver(outbound, deps, signal);
      // Aborted requests are made again.
      if (signal.aborted) return;
      const { at, status, error } = attempt;
      const failure = error === undefined ? undefined : { eventId: event._id, at, status, error };
      result.health = failure === undefined
        ? afterSuccess(result.health, at)
        : afterFailure(result.health, failure);
      if (failure !== undefined) result.givenUp ??= givenUp(result.health, at);
      const trial = { isTrial, random: Math.random() };
      const delivery = deliveryAfter({ webhook, event, before, attempt }, trial);
      count("posthaste.webhook.deliveries", 1, { "posthaste.outcome": delivery.state });
      // The position of an endpoint that is down waits for this event.
      if (isTrial && failure !== undefined && before === undefined) return;
      result.done.set(item, delivery);
    }
  };
  await Promise.all(
    Array.from({ length: placesOf(health, now()) }, (_, place) =>
      work(place).catch((error) => {
        if (!signal.aborted) throw error;
      })),
  );
  return result;
}

async function emailsFor(
  { accountId, withAddress }: Webhook,
  items: readonly Item[],
  { webhooks: { emailsOfMessages } }: DrainDeps,
): Promise<Map<string, string>> {
  const ids = items.flatMap(({ event: { data } }) => "messageId" in data ? data.messageId : []);
  return withAddress && ids.length > 0 ? await emailsOfMessages(accountId, ids) : new Map();
}

async function untilAllowed(
  webhookId: string,
  rate: Pick<TokenBuckets, "take">,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const waitMs = rate.take(webhookId, performance.now());
    if (waitMs === 0) return;
    await delay(waitMs, undefined, { signal });
  }
}

/** Disables an endpoint, after reporting it in the feed. */
async function disable(
  { _id: webhookId, accountId }: Webhook,
  reason: GivenUp | undefined,
  { events: { record: recordEvents }, now, logger }: DrainDeps,
): Promise<Webhook["disabled"]> {
  if (reason === undefined) return null;
  const at = now();
  const digest = hash("sha256", `disabled/${webhookId}/${at.getTime()}`, "hex").slice(0, 24);
  await recordEvents([{
    ...{ _id: otherEventId(at, digest), accountId, type: "webhook.disabled", at },
    data: { webhookId, reason: reason.reason },
  }]);
  logger.info("Disabled a webhook endpoint", { webhook: webhookId, reason: reason.by });
  return { at, ...reason };
}
