import { pause, untilBeat } from "@posthaste/runtime";
import { observe } from "@posthaste/telemetry";
import type { PdfBrowser } from "./browser.ts";

const EVERY_MS = 10_000;

/**
 * Has the browsers replaced that are over a limit, and reports the memory of their processes as a metric, until the
 * signal aborts.
 */
export async function watchMemory(
  browser: Pick<PdfBrowser, "inspect">,
  signal: AbortSignal,
): Promise<void> {
  let bytes = 0;
  using _told = observe("posthaste.browser.memory", () => [{ value: bytes }]);
  while (!signal.aborted) {
    bytes = browser.inspect();
    await pause(untilBeat(EVERY_MS), signal);
  }
}
