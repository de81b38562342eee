import type { Logger } from "@posthaste/telemetry";
import { pause, untilBeat } from "./pause.ts";
import { rareWarnings } from "./rare_warnings.ts";

/** Options of {@linkcode repeat}. */
export interface Repetition {
  /** Pause between two runs, in milliseconds. */
  everyMs: number;
  /** Pause after a run that returned `false`: there was nothing to do. @default everyMs */
  idleMs?: number;
  /** Log message of a failure: `Cannot reconcile, retrying`. */
  failure: string;
  logger: Pick<Logger, "warn">;
  signal: AbortSignal;
}

/**
 * Runs `work` repeatedly until the signal aborts. A failure does not end the repetition, and is logged when it begins and
 * every 10 s.
 */
export async function repeat(
  work: () => Promise<unknown>,
  { everyMs, idleMs = everyMs, failure, logger, signal }: Repetition,
): Promise<void> {
  const { warn } = rareWarnings(logger);
  while (!signal.aborted) {
    let isIdle = false;
    try {
      isIdle = await work() === false;
    } catch (error) {
      warn(failure, { error });
    }
    await pause(untilBeat(isIdle ? idleMs : everyMs), signal);
  }
}
