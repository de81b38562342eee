import { setTimeout as delay } from "node:timers/promises";
import { cpuOf, memoryOf, processTree } from "./process_tree.ts";

/** What one document may take. */
export interface PrintAllowance {
  /** In milliseconds, of time in which the browser was at work. */
  time: number;
  /** Of one process of the browser, in bytes. */
  memory: number;
}

/** How a watch ends. */
export interface WatchOptions extends PrintAllowance {
  /** Told of a process that holds too much. */
  onTooLarge(pid: number): void;
  /** Ends the watch. */
  signal: AbortSignal;
}

const LOOK_EVERY_MS = 500;

/** How many times longer a document may take when others leave the browser no processor. */
const PATIENCE = 4;

/**
 * Watches a browser (by its process id) that prints, and resolves with `true` when the document has had
 * its time, with `false` when it was done before. Time counts where the browser's processes used at least
 * half a core: on a busy machine a document that is merely slow does not fail.
 */
export async function watchPrint(pid: number, options: WatchOptions): Promise<boolean> {
  const { time, memory, onTooLarge, signal } = options;
  const pause = Math.min(LOOK_EVERY_MS, time / 4);
  const started = performance.now();
  let worked = 0;
  let before: { at: number; cpu: number } | undefined;
  while (worked < time && performance.now() - started < PATIENCE * time) {
    const ended = await delay(pause, false, { signal }).catch(() => true);
    if (ended) return false;
    const tree = await processTree(pid);
    for (const child of tree.slice(1)) if (await memoryOf([child]) > memory) onTooLarge(child);
    const now = { at: performance.now(), cpu: await cpuOf(tree) };
    // Most documents are done before the first look, so there is nothing to compare it with.
    if (before === undefined) worked += now.at - started;
    else if (now.cpu - before.cpu >= (now.at - before.at) / 2) worked += now.at - before.at;
    before = now;
  }
  return !signal.aborted;
}
