import { setTimeout as delay } from "node:timers/promises";
import type { Look } from "./process_look.ts";

/** What one document may take. */
export interface PrintAllowance {
  /** Of its own: processor time, in milliseconds. */
  time: number;
  /** Of one process of the browser, in bytes. */
  memory: number;
}

/**
 * How a watch ended: the document was `done`; it was not in its time (`overdue`); or it was not and the
 * browser hardly did anything meanwhile (`stuck`), which no document is known to cause.
 */
export interface WatchEnd {
  how: "done" | "overdue" | "stuck";
  /** How long the document was watched, in milliseconds. */
  elapsedMs: number;
}

/** How a watch ends. */
export interface WatchOptions extends PrintAllowance {
  /** Returns how many documents share what the browser uses. */
  beside(): number;
  /** Told of a process that holds too much. */
  onTooLarge(pid: number): void;
  /** Ends the watch. */
  signal: AbortSignal;
  /** @default the time of the system */
  clock?: WatchClock;
}

/** The time of a watch, in milliseconds that never go back. */
export interface WatchClock {
  now(): number;
  /** Rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
}

const SYSTEM_CLOCK: WatchClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

const LOOK_EVERY_MS = 500;

/** How many times its time a document may take where others leave the browser no processor. */
const PATIENCE = 10;

/** How many times its time a browser may take that uses nothing. */
const IDLE_PATIENCE = 4;

/** A browser that uses less of the time than this does not work on anything. */
const IDLE_SHARE = 0.02;

/**
 * Watches a browser that prints, until the document is done or has had its time. That is the processor time of
 * the browser's processes, shared with the documents beside it, and never more than what has passed: on a
 * busy machine a document that is merely slow does not fail. Nothing is looked at before the print is slow.
 */
export async function watchPrint(look: () => Look, options: WatchOptions): Promise<WatchEnd> {
  const { time, memory, beside, onTooLarge, signal, clock = SYSTEM_CLOCK } = options;
  const pause = Math.min(LOOK_EVERY_MS, time / 4);
  const started = clock.now();
  const elapsed = () => clock.now() - started;
  const end = (how: WatchEnd["how"]): WatchEnd => ({ how, elapsedMs: elapsed() });
  let worked = 0;
  let used = 0;
  let compared = 0;
  let before: Look | undefined;
  const isIdle = () => used < IDLE_SHARE * compared;
  // One look alone tells nothing, and on a busy machine it may come after all the time.
  while (compared === 0 || (worked < time && elapsed() < PATIENCE * time)) {
    if (compared > 0 && elapsed() >= IDLE_PATIENCE * time && isIdle()) return end("stuck");
    const ended = await clock.sleep(pause, signal).then(() => false, () => true);
    if (ended) return end("done");
    const now = look();
    for (const [pid, held] of now.memory) if (held > memory) onTooLarge(pid);
    // Most documents are done before the first look, so there is nothing to compare it with.
    if (before === undefined) worked += Math.min(pause, elapsed());
    else {
      // What a process has used is gone with it.
      const cpu = Math.max(0, now.cpu - before.cpu);
      const passed = now.at - before.at;
      used += cpu;
      compared += passed;
      worked += Math.min(passed, cpu / Math.max(1, beside()));
    }
    before = now;
  }
  if (signal.aborted) return end("done");
  return end(isIdle() ? "stuck" : "overdue");
}
