import { readFileSync } from "node:fs";

/**
 * How long the main thread of a process could run and had no processor, in all its life, in milliseconds: the
 * second number of Linux's `schedstat`. 0 where the kernel does not count it.
 */
export function processorWaitMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}
