import { pause, untilBeat } from "@posthaste/runtime";
import { observe } from "@posthaste/telemetry";
import type { PdfBrowser } from "./browser.ts";
import { memoryOf, processTree } from "./process_tree.ts";

const EVERY_MS = 10_000;

/** Reports the memory of the browsers' processes as a metric, until the signal aborts. */
export async function watchMemory(
  browser: Pick<PdfBrowser, "stats">,
  signal: AbortSignal,
): Promise<void> {
  let bytes = 0;
  using _told = observe("posthaste.browser.memory", () => [{ value: bytes }]);
  while (!signal.aborted) {
    bytes = browser.stats().pids.reduce((sum, pid) => sum + memoryOf(processTree(pid)), 0);
    await pause(untilBeat(EVERY_MS), signal);
  }
}
