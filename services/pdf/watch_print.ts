import { setTimeout as delay } from "node:timers/promises";
import { cpuOf, memoryOf, processTree } from "./process_tree.ts";

/** What one document may take. */
export interface PrintAllowance {
  /** In milliseconds, of time in which the browser was at work. */
  time: number;
  /** Of one process of the browser, in bytes. */
  memory: number;
}

/**
 * How a watch ended: the document was `done`; it was not in its time (`overdue`); or it was not and the
 * browser hardly did anything meanwhile (`stuck`), which no document is known to cause.
 */
export type WatchEnd = "done" | "overdue" | "stuck";

/** How a watch ends. */
export interface WatchOptions extends PrintAllowance {
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

/** How many times longer a document may take when others leave the browser no processor. */
const PATIENCE = 4;

/** A browser that uses less of the time than this does not work on anything. */
const IDLE_SHARE = 0.02;

/**
 * Watches a browser (by its process id) that prints, until the document is done or has had its time. Time
 * counts where the browser's processes used at least half a core: on a busy machine a document that is
 * merely slow does not fail.
 */
export async function watchPrint(pid: number, options: WatchOptions): Promise<WatchEnd> {
  const { time, memory, onTooLarge, signal, clock = SYSTEM_CLOCK } = options;
  const pause = Math.min(LOOK_EVERY_MS, time / 4);
  const started = clock.now();
  let worked = 0;
  let used = 0;
  let compared = 0;
  let before: { at: number; cpu: number } | undefined;
  // One look alone tells nothing, and on a busy machine it may come after all the time.
  while (compared === 0 || (worked < time && clock.now() - started < PATIENCE * time)) {
    const ended = await clock.sleep(pause, signal).then(() => false, () => true);
    if (ended) return "done";
    const tree = await processTree(pid);
    for (const child of tree.slice(1)) if (await memoryOf([child]) > memory) onTooLarge(child);
    const now = { at: clock.now(), cpu: await cpuOf(tree) };
    // Most documents are done before the first look, so there is nothing to compare it with.
    if (before === undefined) worked += Math.min(pause, now.at - started);
    else {
      // What a process has used is gone with it.
      const cpu = Math.max(0, now.cpu - before.cpu);
      const passed = now.at - before.at;
      used += cpu;
      compared += passed;
      if (cpu >= passed / 2) worked += passed;
    }
    before = now;
  }
  if (signal.aborted) return "done";
  return used < IDLE_SHARE * compared ? "stuck" : "overdue";
}
