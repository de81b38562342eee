import type { Webhook } from "@posthaste/contracts";
import { repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import { placesOf } from "./endpoint_state.ts";

/** The dependencies of following endpoints. */
export type FollowDeps =
  & StorePart<
    | "events.grown"
    | "webhooks.claim"
    | "webhooks.listHeld"
    | "webhooks.leave"
    | "webhooks.listDue"
  >
  & {
    /** Name of this process. */
    holder: string;
    /** Posts the endpoint's new events. */
    drain(webhook: Webhook, signal: AbortSignal): Promise<void>;
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

const CLAIM_EVERY_MS = 5000;
const CLAIMED_FOR_MS = 30_000;
const CLAIMED_AT_ONCE = 200;

/**
 * Claims endpoints and posts their events, until the signal aborts. Endpoints are independent: one that hangs
 * does not delay the others.
 */
export async function followEndpoints(
  deps: FollowDeps,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): Promise<void> {
  const { holder, logger } = deps;
  const running = new Map<string, Promise<void>>();
  const seen = new Map<string, number>();
  let claimedAt = -Infinity;
  const work = (webhook: Webhook) => {
    const { _id, updatedAt } = webhook;
    seen.set(_id, updatedAt.getTime());
    const drained = deps.drain(webhook, signal)
      .catch((error) => {
        if (!signal.aborted) logger.warn("Cannot post to a webhook endpoint, retrying", { error });
      })
      .finally(() => running.delete(_id));
    running.set(_id, drained);
  };
  await repeat(async () => {
    if (performance.now() - claimedAt >= CLAIM_EVERY_MS) {
      await deps.webhooks.claim({ holder, forMs: CLAIMED_FOR_MS, limit: CLAIMED_AT_ONCE });
      claimedAt = performance.now();
    }
    const held = await deps.webhooks.listHeld(holder);
    const idle = held.filter(({ _id, health }) =>
      !running.has(_id) && placesOf(health, deps.now()) > 0
    );
    for (const webhook of await withWork(idle, seen, deps)) work(webhook);
    return held.length > 0;
  }, {
    everyMs,
    // Without an endpoint there is nothing to do before the next claim.
    idleMs: CLAIM_EVERY_MS,
    failure: "Cannot look for events of webhook endpoints, retrying",
    logger,
    signal,
  });
  await Promise.all(running.values());
  await deps.webhooks.leave(holder).catch(() => undefined);
}

/**
 * Finds endpoints with new events in their feed or due retries, and endpoints that are new here or were
 * changed.
 */
async function withWork(
  idle: readonly Webhook[],
  seen: ReadonlyMap<string, number>,
  { events: { grown: grownFeeds }, webhooks: { listDue }, now }: FollowDeps,
): Promise<Webhook[]> {
  if (idle.length === 0) return [];
  const [grown, due] = await Promise.all([
    grownFeeds(idle.map(({ accountId, position }) => ({ accountId, after: position }))),
    listDue(idle.map(({ _id }) => _id), now()),
  ]);
  return idle.filter(({ _id, accountId, updatedAt }) =>
    grown.has(accountId) || due.has(_id) || seen.get(_id) !== updatedAt.getTime()
  );
}
