import { setTimeout as delay } from "node:timers/promises";
import type { Look } from "./process_look.ts";

/** The limits of one document. */
export interface PrintAllowance {
  /** Its own processor time, in milliseconds. */
  time: number;
  /** Memory of one process of the browser, in bytes. */
  memory: number;
}

/**
 * How a watch ended: the document was `done`; it exceeded its time, or had too little of it for too long (`overdue`), or
 * for too long while the browser waited for a processor (`starved`); or it exceeded its time while the browser was
 * almost idle (`stuck`), which no document is known to cause.
 */
export interface WatchEnd {
  how: "done" | "overdue" | "starved" | "stuck";
  /** How long the document was watched, in milliseconds. */
  elapsedMs: number;
  /** Its share of the browser's processor time meanwhile, in milliseconds. */
  workedMs: number;
}

/** Options of `watchPrint()`. */
export interface WatchOptions extends PrintAllowance {
  /** Returns how many documents share what the browser uses. */
  beside(): number;
  /** Called with a process that uses too much memory. */
  onTooLarge(pid: number): void;
  /** Ends the watch. */
  signal: AbortSignal;
  /** @default the time of the system */
  clock?: WatchClock;
}

/** The clock of a watch: milliseconds that never go back. */
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

/** How many times its limit a document may take in wall-clock time on a busy machine. */
const PATIENCE = 10;

/** How many times its limit a document may take while the browser is idle. */
const IDLE_PATIENCE = 4;

/** A browser that uses a smaller share of the time than this is idle. */
const IDLE_SHARE = 0.02;

/**
 * Watches a browser that prints, until the document is done or has used its time. That time is the processor
 * time of the browser's processes, shared among concurrent documents, and never more than the time that has
 * passed: on a busy machine a document that is merely slow does not fail. The first measurement is made when
 * the print is slow.
 */
export async function watchPrint(look: () => Look, options: WatchOptions): Promise<WatchEnd> {
  const { time, memory, beside, onTooLarge, signal, clock = SYSTEM_CLOCK } = options;
  const pause = Math.min(LOOK_EVERY_MS, time / 4);
  const started = clock.now();
  const elapsed = () => clock.now() - started;
  let worked = 0;
  const end = (how: WatchEnd["how"]): WatchEnd => ({
    ...{ how, elapsedMs: elapsed(), workedMs: worked },
  });
  let used = 0;
  let compared = 0;
  let looks = 0;
  let runnable = 0;
  let before: Look | undefined;
  const isRunnable = () => runnable >= looks / 2;
  const isIdle = () => used < IDLE_SHARE * compared && !isRunnable();
  // One measurement alone shows nothing, and on a busy machine it may come after the whole time.
  while (compared === 0 || (worked < time && elapsed() < PATIENCE * time)) {
    if (compared > 0 && elapsed() >= IDLE_PATIENCE * time && isIdle()) return end("stuck");
    const ended = await clock.sleep(pause, signal).then(() => false, () => true);
    if (ended) return end("done");
    const now = look();
    looks++;
    if (now.isRunnable) runnable++;
    for (const [pid, held] of now.memory) if (held > memory) onTooLarge(pid);
    // Most documents are done before the first measurement, so there is no earlier one to compare it with.
    if (before === undefined) worked += Math.min(pause, elapsed());
    else {
      // The processor time of an ended process is no longer counted.
      const cpu = Math.max(0, now.cpu - before.cpu);
      const passed = now.at - before.at;
      used += cpu;
      compared += passed;
      worked += Math.min(passed, cpu / Math.max(1, beside()));
    }
    before = now;
  }
  if (signal.aborted) return end("done");
  if (worked < time && isRunnable()) return end("starved");
  return end(isIdle() ? "stuck" : "overdue");
}
