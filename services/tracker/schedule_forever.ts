import { isOutage } from "@posthaste/messaging";
import { pause, rareWarnings, untilBeat } from "@posthaste/runtime";
import type { Logger } from "@posthaste/telemetry";
import { dispatchRound, type RoundDeps } from "./dispatch_round.ts";
import type { Flow } from "./flow.ts";
import { type RequeueDeps, requeueReturned } from "./requeue_returned.ts";
import { startScheduled } from "./schedule_sends.ts";

/** Number of intervals until the next search if nothing waits: status events end the pause earlier. */
const IDLE_INTERVALS = 3;

/** Number of searches in an interval while messages are due: else waiting sends would take each place that gets free. */
const SEARCHES_WHILE_DUE = 4;

/** Pause between two rounds: one round then dispatches for several finished messages. */
const MIN_PAUSE_MS = 100;

/**
 * Dispatches what is due and what waits, within the capacity, until the signal aborts. One tracker does it for all. Two
 * would be safe, but every second dispatch would be wasted.
 */
export async function scheduleForever(
  deps: RoundDeps & RequeueDeps & { logger: Pick<Logger, "warn"> },
  { flow, intervalMs, signal }: { flow: Flow; intervalMs: number; signal: AbortSignal },
): Promise<void> {
  // After a failure the next round follows soon.
  const logger = rareWarnings(deps.logger);
  let searchAgainAt = -Infinity;
  /** Whether anything was due at the last search. */
  let isDue = false;
  while (!signal.aborted) {
    let isOut = false;
    /** Runs a step. Returns `undefined` if it fails, or the signal has aborted. */
    const run = async <T>(what: string, step: () => Promise<T>): Promise<T | undefined> => {
      if (signal.aborted) return undefined;
      try {
        return await step();
      } catch (error) {
        isOut ||= isOutage(error);
        logger.warn(`Cannot ${what}, retrying`, { error });
        return undefined;
      }
    };
    let due: string[] = [];
    // While mail ends, a round follows every 100 ms: due mail is not searched for in each.
    if (performance.now() >= searchAgainAt) {
      await run("start all scheduled sends", () => startScheduled(deps));
      const found = await run("find what is due", () => deps.waiting.integrationsDue(deps.now()));
      due = found ?? [];
      // After a failure, mail may be due.
      isDue = found?.length !== 0;
      searchAgainAt = performance.now() + intervalMs / (isDue ? SEARCHES_WHILE_DUE : 1);
    }
    await run("let returned mail wait", () => requeueReturned(flow, deps));
    const isWaiting = await run("dispatch mail", () => dispatchRound(deps, { flow, due })) ?? true;
    // Finished messages free capacity immediately.
    const pauseMs = isOut ? intervalMs : MIN_PAUSE_MS;
    await pause(pauseMs, signal);
    const waitMs = isDue || isWaiting ? intervalMs : untilBeat(IDLE_INTERVALS * intervalMs);
    await flow.nextNews(waitMs, signal);
  }
}
