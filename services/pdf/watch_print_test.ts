import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { watchPrint } from "./watch_print.ts";

/** A process that does nothing, or works all the time. */
function start(script: string) {
  const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  const { pid = 0 } = child;
  return { pid, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

const forGood = { memory: Infinity, onTooLarge: () => undefined };

test("watchPrint() gives an idle browser four times as long as one that works", async () => {
  using idle = start("setTimeout(() => {}, 60_000)");
  const { signal } = new AbortController();
  const started = performance.now();
  assert.equal(await watchPrint(idle.pid, { ...forGood, time: 1000, signal }), "stuck");
  const took = performance.now() - started;
  assert.ok(took >= 3000, `${took} ms`);
});

test("watchPrint() ends in time when the browser works", async () => {
  using busy = start("for (;;);");
  const { signal } = new AbortController();
  const started = performance.now();
  const end = await watchPrint(busy.pid, { ...forGood, time: 400, signal });
  const took = performance.now() - started;
  // On a machine that is too busy for it, it gets more time, too.
  assert.ok(took >= 400 && took < 1600 + 1000, `${took} ms`);
  assert.equal(end, "overdue");
});

test("watchPrint() does not take a browser for stuck at which it came to look late", async () => {
  using busy = start("for (;;);");
  const { signal } = new AbortController();
  const watching = watchPrint(busy.pid, { ...forGood, time: 400, signal });
  // A machine that has no time for the service either.
  for (const end = performance.now() + 600; performance.now() < end;);
  assert.equal(await watching, "overdue");
});

test("watchPrint() ends when the document is done", async () => {
  using idle = start("setTimeout(() => {}, 60_000)");
  const signal = AbortSignal.timeout(50);
  assert.equal(await watchPrint(idle.pid, { ...forGood, time: 60_000, signal }), "done");
});

test("watchPrint() tells of a process that holds too much, but not of the browser's own", async () => {
  using parent = start(`
    const { spawn } = require("node:child_process");
    spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
  `);
  const told = new Set<number>();
  const { signal } = new AbortController();
  const options = { memory: 1_000_000, onTooLarge: (pid: number) => told.add(pid) };
  await watchPrint(parent.pid, { ...options, time: 1000, signal });
  const [child] = told;
  assert.equal(told.size, 1);
  assert.notEqual(child, parent.pid);
  process.kill(child ?? 0, "SIGKILL");
});
