/**
 * Runs test files one after another in one process, as `main.ts` asks for them by message (a
 * {@linkcode FileRequest}), and answers each with its {@linkcode FileResult}. Ends when the channel closes.
 *
 * Each file is a suite: `run()` of node:test would wait until nothing keeps the process alive, which
 * is never while the channel is open.
 *
 * @module
 */
import { startTracking, stopTracking } from "./async_tracking.ts";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { collectResult, noteUnhandled } from "./collect_result.ts";
import type { FileRequest } from "./file_request.ts";
import { describeLeftovers, takeInventory } from "./leftovers.ts";

// After async_tracking.ts: a static import would come before it.
const { suite } = await import("node:test");

// The listeners of node:test are installed before the first inventory.
await suite("warm-up", () => {});
// An unhandled error would end the process of a single file; here it fails the file.
process.on("uncaughtExceptionMonitor", (error) => noteUnhandled(error));
process.on("unhandledRejection", (error) => noteUnhandled(error));
process.on("message", ({ file, env }: FileRequest) => {
  // Servers may have been started since the last file.
  Object.assign(process.env, env);
  void runFile(file).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");

async function runFile(file: string) {
  const before = takeInventory();
  const started = performance.now();
  const { href } = pathToFileURL(join(process.cwd(), file));
  const result = collectResult(file);
  // It finds the suite of each test, so it is needed only while the file is loaded.
  startTracking();
  void suite(file, () => import(href).finally(stopTracking));
  const { failures, passed, skipped, isStuck = false } = await result;
  if (failures.length + passed + skipped === 0) {
    failures.push({ name: file, line: 0, reason: "It has no test" });
  }
  // By itself Node writes it when this process ends: for most other files too late.
  flushCompileCache();
  return {
    ...{ failures, passed, skipped },
    leftovers: isStuck ? ["a test that goes on"] : await describeLeftovers(before),
    durationMs: performance.now() - started,
  };
}
