import { repeat } from "@posthaste/runtime";
import type { FeedEventType } from "@posthaste/contracts";
import type { NewEvent, StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** The dependencies of recording the changes of integrations and templates. */
export type HappeningsDeps =
  & StorePart<"events.listHappenings" | "events.record" | "events.recorded">
  & {
    now(): Date;
    logger: Pick<Logger, "info" | "warn">;
  };

const EVERY_MS = 5000;
const BATCH_SIZE = 500;

/** More at one moment is not looked for: a bundle has at most 500 templates. */
const MAX_BATCH_SIZE = 32_000;

/** Time that a tracker may be away without missing anything. */
const LOOK_BACK_MS = 24 * 3_600_000;

/** The clocks of writers may differ by this, and a write may take its time. */
const OVERLAP_MS = 60_000;

/** Where the search continues. */
export interface HappeningsPlace {
  since: Date;
  /** Maximum number of happenings of one search. */
  limit: number;
}

/** Records what happened to integrations and templates, every five seconds until the signal aborts. */
export async function recordHappeningsForever(
  deps: HappeningsDeps,
  signal: AbortSignal,
): Promise<void> {
  let place: HappeningsPlace = {
    since: new Date(deps.now().getTime() - LOOK_BACK_MS),
    limit: BATCH_SIZE,
  };
  await repeat(async () => void (place = await recordHappenings(deps, place)), {
    everyMs: EVERY_MS,
    failure: "Cannot record what happened to integrations and templates, retrying",
    logger: deps.logger,
    signal,
  });
}

/** Records what happened from a time on. Returns where the next search continues. */
export async function recordHappenings(
  deps: HappeningsDeps,
  { since, limit }: HappeningsPlace,
): Promise<HappeningsPlace> {
  const found = await deps.events.listHappenings(since, limit);
  const recorded = await deps.events.recorded(found.map(({ _id }) => _id));
  const fresh = found.filter(({ _id }) => !recorded.has(_id));
  if (fresh.length > 0) await deps.events.record(fresh);
  for (const happening of fresh) log(happening, deps);
  const [last] = found.slice(-1);
  if (found.length >= limit && last !== undefined) {
    // More follow. They may be of the same moment, so the next search takes in more.
    return {
      since: latest(since, new Date(last.at.getTime() - OVERLAP_MS)),
      limit: Math.min(2 * limit, MAX_BATCH_SIZE),
    };
  }
  const overlap = new Date(deps.now().getTime() - OVERLAP_MS);
  return { since: latest(since, overlap), limit: BATCH_SIZE };
}

/** What the log says of integrations, once for all processes. */
const LOGGED: Partial<Record<FeedEventType, { level: "info" | "warn"; text: string }>> = {
  "integration.suspended": { level: "warn", text: "An integration is suspended: its mail waits" },
  "integration.unreachable": {
    level: "warn",
    text: "The server of an integration cannot be used: its mail waits",
  },
  "integration.reachable": {
    level: "info",
    text: "The server of an integration can be used again",
  },
  "integration.paused": { level: "info", text: "An integration was paused" },
  "integration.resumed": { level: "info", text: "An integration was resumed" },
};

function log(
  { type, accountId, data }: NewEvent,
  { logger }: Pick<HappeningsDeps, "logger">,
): void {
  const logged = LOGGED[type];
  if (logged !== undefined) logger[logged.level](logged.text, { accountId, ...data });
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}
