/**
 * Runs test files one after another in one process, as `main.ts` asks for them by message (a
 * {@linkcode FileRequest}), and answers each with its {@linkcode FileResult}. Ends when the channel closes.
 *
 * Each file is a suite: `run()` of node:test would wait until nothing keeps the process alive, which
 * is never while the channel is open.
 *
 * @module
 */
import { track, untrack } from "./async_tracking.ts";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { collectResult, noteStray } from "./collect_result.ts";
import type { FileRequest } from "./file_request.ts";
import { describeLeftovers, takeInventory } from "./leftovers.ts";

const { suite } = await import("node:test");

// The listeners of node:test are installed before the first inventory.
await suite("warm-up", () => {});
// An unhandled error would end the process of a single file; here it fails the file.
process.on("uncaughtExceptionMonitor", (error) => noteStray(error));
process.on("unhandledRejection", (error) => noteStray(error));
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
  // Only the declaration of tests needs it.
  track();
  void suite(file, () => import(href).finally(untrack));
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
