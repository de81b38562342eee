import type { Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";

/** How often something is done, and what is said when it fails. */
export interface Repetition {
  /** Pause after each time, in milliseconds. */
  everyMs: number;
  /** Pause after a time that returned `false`: there was nothing to do. @default everyMs */
  idleMs?: number;
  /** The warning of a failure: `Cannot reconcile, retrying`. */
  failure: string;
  logger: Pick<Logger, "warn">;
  signal: AbortSignal;
}

/** Does something again and again until the signal aborts. A failure is logged, and ends nothing. */
export async function repeat(
  work: () => Promise<unknown>,
  { everyMs, idleMs = everyMs, failure, logger, signal }: Repetition,
): Promise<void> {
  while (!signal.aborted) {
    let isIdle = false;
    try {
      isIdle = await work() === false;
    } catch (error) {
      logger.warn(failure, { error });
    }
    await delay(isIdle ? idleMs : everyMs, undefined, { signal }).catch(() => undefined);
  }
}
