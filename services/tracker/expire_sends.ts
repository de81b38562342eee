import { pause } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";

/** The dependencies of expiring sends. */
export type ExpireSendsDeps =
  & StorePart<"retention.removeOldSends" | "batches.removeOld">
  & { now(): Date };

/** Retention of finished sends. */
export interface ExpireSendsOptions {
  /** In milliseconds, from their acceptance. */
  keptMs: number;
  signal: AbortSignal;
}

const BATCH_SIZE = 200;

/** Mail has priority: it has the database to itself between two batches. */
const PAUSE_MS = 50;

/** Removes all sends past their retention, in batches. Returns their number. */
export async function expireSends(
  deps: ExpireSendsDeps,
  { keptMs, signal }: ExpireSendsOptions,
): Promise<number> {
  const now = deps.now();
  const before = new Date(now.getTime() - keptMs);
  let total = 0;
  for (let after: string | null = ""; after !== null && !signal.aborted;) {
    const done = await deps.retention.removeOldSends({ before, limit: BATCH_SIZE, after, now });
    total += done.removed;
    after = done.last;
    if (after !== null) await pause(PAUSE_MS, signal);
  }
  // Last: their sends can be found by them until then.
  await deps.batches.removeOld(before);
  return total;
}
