import { repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** What recording what happened to integrations and templates needs from the outside. */
export type HappeningsDeps =
  & StorePart<"events.listHappenings" | "events.record" | "events.recorded">
  & {
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

const EVERY_MS = 1000;
const AT_ONCE = 500;

/** So long a tracker may be away, and nothing is missed. */
const LOOK_BACK_MS = 24 * 3_600_000;

/** The clocks of those who write may differ by this, and a write may take its time. */
const OVERLAP_MS = 60_000;

/** Records what happened to integrations and templates, every second until the signal aborts. */
export async function recordHappeningsForever(
  deps: HappeningsDeps,
  signal: AbortSignal,
): Promise<void> {
  let since = new Date(deps.now().getTime() - LOOK_BACK_MS);
  await repeat(async () => void (since = await recordHappenings(deps, since)), {
    everyMs: EVERY_MS,
    failure: "Cannot record what happened to integrations and templates, retrying",
    logger: deps.logger,
    signal,
  });
}

/** Records what happened from a time on. Returns from when on to look next time. */
export async function recordHappenings(deps: HappeningsDeps, since: Date): Promise<Date> {
  const found = await deps.events.listHappenings(since, AT_ONCE);
  const recorded = await deps.events.recorded(found.map(({ _id }) => _id));
  const fresh = found.filter(({ _id }) => !recorded.has(_id));
  if (fresh.length > 0) await deps.events.record(fresh);
  const [last] = found.slice(-1);
  // A full page: what follows it is not too far away.
  if (found.length >= AT_ONCE && last !== undefined) {
    return new Date(Math.max(since.getTime() + 1, last.at.getTime() - OVERLAP_MS));
  }
  return new Date(Math.max(since.getTime(), deps.now().getTime() - OVERLAP_MS));
}
