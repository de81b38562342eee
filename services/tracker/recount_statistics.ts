import { repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** The dependencies of counting again. */
export type RecountDeps =
  & StorePart<"statistics.recount">
  & {
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

const EVERY_MS = 30_000;

/** Maximum number of buckets in one round. After an outage, the next rounds count the rest. */
const BATCH_SIZE = 20;

/** Counts the statistics of finished buckets from messages, until the signal aborts. */
export async function recountForever(deps: RecountDeps, signal: AbortSignal): Promise<void> {
  await repeat(async () => {
    await deps.statistics.recount({ now: deps.now(), limit: BATCH_SIZE });
  }, {
    everyMs: EVERY_MS,
    failure: "Cannot count statistics from messages, retrying",
    logger: deps.logger,
    signal,
  });
}
