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

/** How a process claims endpoints. */
export interface ClaimTimes {
  /** Time between two claims, in milliseconds. Each renews those before, and takes what others lost. */
  everyMs: number;
  /** How long a claim is valid, in milliseconds. */
  forMs: number;
}

/** Endpoints of a process that is lost wait for at most 10 s: the claim, and up to 3 s to the next one of another process. */
export const CLAIM_TIMES: ClaimTimes = { everyMs: 2500, forMs: 7000 };
const MAX_CLAIMED = 200;

/** Options of {@linkcode followEndpoints}. */
export interface FollowOptions {
  /** Time between two looks at the feeds, in milliseconds. */
  everyMs: number;
  /** @default CLAIM_TIMES */
  claim?: ClaimTimes;
  signal: AbortSignal;
}

/**
 * Claims endpoints and posts their events, until the signal aborts. Endpoints are independent: one that hangs
 * does not delay the others. Stops posting to an endpoint that is no longer claimed by this process.
 */
export async function followEndpoints(
  deps: FollowDeps,
  { everyMs, claim = CLAIM_TIMES, signal }: FollowOptions,
): Promise<void> {
  const { holder, logger } = deps;
  const seen = new Map<string, number>();
  const work = openWork(deps, signal);
  let claimedAt = -Infinity;
  let expiry: NodeJS.Timeout | undefined;
  const findHeld = async () => {
    const now = performance.now();
    if (now - claimedAt < claim.everyMs) return await deps.webhooks.listHeld(holder);
    const held = await deps.webhooks.claim({ holder, forMs: claim.forMs, limit: MAX_CLAIMED });
    claimedAt = now;
    clearTimeout(expiry);
    // Also while the database does not answer.
    expiry = setTimeout(() => work.keep(new Set()), now + claim.forMs - performance.now());
    return held;
  };
  await repeat(async () => {
    const held = await findHeld();
    work.keep(new Set(held.map(({ _id }) => _id)));
    const idle = held.filter(({ _id, health }) =>
      !work.has(_id) && placesOf(health, deps.now()) > 0
    );
    for (const webhook of await withWork(idle, seen, deps)) {
      seen.set(webhook._id, webhook.updatedAt.getTime());
      work.start(webhook);
    }
    return held.length > 0;
  }, {
    everyMs,
    // Without an endpoint there is nothing to do before the next claim.
    idleMs: claim.everyMs,
    failure: "Cannot look for events of webhook endpoints, retrying",
    logger,
    signal,
  });
  clearTimeout(expiry);
  await work.ended();
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

/** Drains that run, by endpoint. */
interface Work {
  has(id: string): boolean;
  start(webhook: Webhook): void;
  /** Aborts the drains of all endpoints but these. */
  keep(ids: ReadonlySet<string>): void;
  /** Resolves when all have ended. */
  ended(): Promise<unknown>;
}

function openWork({ drain, logger }: Pick<FollowDeps, "drain" | "logger">, all: AbortSignal): Work {
  const running = new Map<string, { lost: AbortController; drained: Promise<void> }>();
  return {
    has: (id) => running.has(id),
    start(webhook) {
      const lost = new AbortController();
      const signal = AbortSignal.any([all, lost.signal]);
      const drained = drain(webhook, signal)
        .catch((error) => {
          if (signal.aborted) return;
          logger.warn("Cannot post to a webhook endpoint, retrying", { error });
        })
        .finally(() => running.delete(webhook._id));
      running.set(webhook._id, { lost, drained });
    },
    keep(ids) {
      for (const [id, { lost }] of running) if (!ids.has(id)) lost.abort();
    },
    ended: () => Promise.all([...running.values()].map(({ drained }) => drained)),
  };
}
