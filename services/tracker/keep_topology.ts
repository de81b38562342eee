import type { Bus } from "@posthaste/messaging";
import type { Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";

const INTERVAL_MS = 5000;

/** Creates the streams again whenever the broker has lost them, until the signal aborts. */
export async function keepTopology(
  bus: Pick<Bus, "check" | "applyTopology">,
  { signal, logger }: { signal: AbortSignal; logger: Pick<Logger, "warn"> },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await bus.check();
    } catch (error) {
      logger.warn("Streams are missing, creating them", { error });
      await bus.applyTopology().catch((cause) => {
        logger.warn("Cannot create the streams, trying again", { error: cause });
      });
    }
    await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}
