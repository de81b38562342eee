import { repeat } from "@posthaste/runtime";
import type { Logger } from "@posthaste/telemetry";

/** Things that are kept for a time. */
export interface Expiry {
  /** What they are, in log messages: `idempotency keys`. */
  what: string;
  /** Pause between two removals, in milliseconds. @default {one hour} */
  everyMs?: number;
  /** Removes what is past its time, until the signal aborts. Returns how many it removed. */
  expire(signal: AbortSignal): Promise<number>;
}

const EVERY_MS = 3_600_000;

/** Removes what is past its time, again and again until the signal aborts. Each kind is independent of the others. */
export async function expireForever(
  expiries: readonly Expiry[],
  { logger, signal }: { logger: Pick<Logger, "info" | "warn">; signal: AbortSignal },
): Promise<void> {
  await Promise.all(expiries.map(({ what, everyMs = EVERY_MS, expire }) =>
    repeat(async () => {
      const removed = await expire(signal);
      if (removed > 0) logger.info(`Removed expired ${what}`, { removed });
    }, { everyMs, failure: `Cannot remove expired ${what}, retrying`, logger, signal })
  ));
}
