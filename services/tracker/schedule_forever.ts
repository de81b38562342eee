import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@posthaste/telemetry";
import { dispatchDue, type DueDeps } from "./dispatch_due.ts";
import type { Flow } from "./flow.ts";
import { type ScheduleDeps, scheduleOnce, startScheduled } from "./schedule_sends.ts";

/** Number of intervals until the next search if nothing waits: status events end the pause earlier. */
const IDLE_INTERVALS = 3;

/** Pause between two rounds: one round then dispatches for several finished messages. */
const MIN_PAUSE_MS = 100;

/**
 * Dispatches what is due and what waits, within the capacity, until the signal aborts: one after the other, so that both
 * together keep it. One tracker does it for all. Two would be safe, but every second dispatch would be wasted.
 */
export async function scheduleForever(
  deps: ScheduleDeps & DueDeps & { logger: Pick<Logger, "warn"> },
  { flow, intervalMs, signal }: { flow: Flow; intervalMs: number; signal: AbortSignal },
): Promise<void> {
  let searchAgainAt = -Infinity;
  /** Whether anything was due at the last search. */
  let isDue = false;
  while (!signal.aborted) {
    let isWaiting = false;
    let hasFailed = false;
    const attempt = async (failure: string, work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        hasFailed = true;
        deps.logger.warn(failure, { error });
      }
    };
    // While mail ends, a round follows every 100 ms: what has a time is not searched for in each.
    if (performance.now() >= searchAgainAt) {
      await attempt("Cannot start scheduled sends, retrying", () => startScheduled(deps));
      await attempt("Cannot dispatch what is due, retrying", async () => {
        isDue = await dispatchDue(deps, flow);
      });
      searchAgainAt = performance.now() + intervalMs;
    }
    await attempt("Cannot schedule sends, retrying", async () => {
      isWaiting = await scheduleOnce(deps, flow);
    });
    if (hasFailed) {
      await delay(intervalMs, undefined, { signal }).catch(() => undefined);
      continue;
    }
    // Finished messages free capacity immediately.
    await delay(MIN_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    const waitMs = isDue || isWaiting ? intervalMs : IDLE_INTERVALS * intervalMs;
    await flow.nextNews(waitMs, signal);
  }
}
