/**
 * Prints a document with Chromium's sandbox on, says in a line what came of it, and keeps the browser
 * until its input ends. A process of its own, for tests: Chromium refuses its sandbox to root.
 */
import { once } from "node:events";
import process from "node:process";
import { job, openTestBrowser, textOf } from "./_test_browser.ts";

/** What it says. */
export interface SandboxedPrint {
  text: string[];
  /** The browser's own process. */
  pid: number | undefined;
  warnings: string[];
}

if (import.meta.main) {
  const warnings: string[] = [];
  await using browser = await openTestBrowser({
    concurrency: 1,
    sandbox: "on",
    log: (level, message) => void (level === "warn" && warnings.push(message)),
  });
  const { pdf } = await browser.print(job("<p>inside"));
  const said: SandboxedPrint = { text: await textOf(pdf), pid: browser.stats().pid, warnings };
  process.stdout.write(`${JSON.stringify(said)}\n`);
  await once(process.stdin.resume(), "end");
}
