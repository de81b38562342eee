import type { Bus } from "@posthaste/messaging";
import type { Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";

const INTERVAL_MS = 5000;

/**
 * Removes events that no consumer brings any more, until the signal aborts: to the sweeper they look as
 * if their stream still held all mail that is younger.
 */
export async function dropPassedForever(
  bus: Pick<Bus, "dropPassed">,
  { signal, logger }: { signal: AbortSignal; logger: Pick<Logger, "warn"> },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const dropped = await bus.dropPassed();
      if (dropped > 0) logger.warn("Removed events that no consumer brings any more", { dropped });
    } catch (error) {
      logger.warn("Cannot look for events that no consumer brings any more", { error });
    }
    await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}
