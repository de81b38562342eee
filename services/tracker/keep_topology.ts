import type { Bus } from "@posthaste/messaging";
import { repeat } from "@posthaste/runtime";
import type { Logger } from "@posthaste/telemetry";

const EVERY_MS = 5000;

/** Recreates streams that the broker has lost, until the signal aborts. */
export async function keepTopology(
  bus: Pick<Bus, "check" | "applyTopology">,
  { signal, logger }: { signal: AbortSignal; logger: Pick<Logger, "warn"> },
): Promise<void> {
  await repeat(async () => {
    try {
      await bus.check();
    } catch (error) {
      logger.warn("Creating missing streams", { error });
      await bus.applyTopology();
    }
  }, { everyMs: EVERY_MS, failure: "Cannot create the streams, retrying", logger, signal });
}
