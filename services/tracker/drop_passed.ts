import type { Bus } from "@posthaste/messaging";
import { repeat } from "@posthaste/runtime";
import type { Logger } from "@posthaste/telemetry";

const EVERY_MS = 60_000;

/**
 * Removes events that no consumer will deliver again, until the signal aborts: they use capacity, and look
 * like lag.
 */
export async function dropPassedForever(
  bus: Pick<Bus, "dropPassed">,
  { signal, logger }: { signal: AbortSignal; logger: Pick<Logger, "warn"> },
): Promise<void> {
  await repeat(async () => {
    const dropped = await bus.dropPassed();
    if (dropped > 0) logger.warn("Removed events that no consumer delivers any more", { dropped });
  }, {
    everyMs: EVERY_MS,
    failure: "Cannot find events that no consumer delivers any more",
    ...{ logger, signal },
  });
}
