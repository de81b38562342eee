import { repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** The dependencies of expiring events. */
export type ExpireEventsDeps =
  & StorePart<"accounts.list" | "events.removeOld">
  & {
    /** How long events are kept, in milliseconds. */
    eventsKeptMs: number;
    now(): Date;
    logger: Pick<Logger, "info" | "warn">;
  };

const EVERY_MS = 3_600_000;

/** Removes events that are kept no longer, every hour until the signal aborts. */
export async function expireEventsForever(
  deps: ExpireEventsDeps,
  signal: AbortSignal,
): Promise<void> {
  await repeat(async () => {
    const before = new Date(deps.now().getTime() - deps.eventsKeptMs);
    let removed = 0;
    for (const { _id } of await deps.accounts.list()) {
      if (!signal.aborted) removed += await deps.events.removeOld(_id, before);
    }
    if (removed > 0) deps.logger.info("Removed expired events", { removed });
  }, {
    everyMs: EVERY_MS,
    failure: "Cannot remove expired events, retrying",
    logger: deps.logger,
    signal,
  });
}
