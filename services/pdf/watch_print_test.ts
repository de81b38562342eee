import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { until } from "@posthaste/testing";
import { openLooker } from "./process_look.ts";
import { cpuOf } from "./process_tree.ts";
import { watchPrint } from "./watch_print.ts";

/** A process that does nothing, or works all the time. */
function start(script: string) {
  const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  const { pid = 0 } = child;
  return { pid, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

/** A clock that moves when it is slept by, and waits as long as `meanwhile` does. */
function startClock(meanwhile: (ms: number) => Promise<unknown>) {
  const clock = {
    passed: 0,
    now: () => clock.passed,
    async sleep(ms: number) {
      await meanwhile(ms);
      clock.passed += ms;
    },
  };
  return clock;
}

/** Looks at a process by the time of a clock. */
function lookBy(clock: { now(): number }, pid: number) {
  return () => ({ cpu: cpuOf([pid]), at: clock.now(), memory: new Map() });
}

/** Waits until a process has used the processor for so long, however busy the machine is. */
async function worked(pid: number, ms: number): Promise<void> {
  const before = cpuOf([pid]);
  await until(() => cpuOf([pid]) - before >= ms, { timeoutMs: 60_000 });
}

/** Waits until a process has started and does nothing any more. */
async function settled(pid: number): Promise<void> {
  let before = NaN;
  await until(() => {
    const used = cpuOf([pid]);
    const isIdle = used > 0 && used === before;
    before = used;
    return isIdle;
  }, { timeoutMs: 60_000, everyMs: 100 });
}

const forGood = { memory: Infinity, onTooLarge: () => undefined };

test("watchPrint() gives an idle browser four times as long as one that works", async () => {
  using idle = start("setTimeout(() => {}, 60_000)");
  await settled(idle.pid);
  const { signal } = new AbortController();
  const clock = startClock(() => Promise.resolve());
  assert.equal(
    await watchPrint(lookBy(clock, idle.pid), { ...forGood, time: 1000, signal, clock }),
    "stuck",
  );
  assert.equal(clock.passed, 4000);
});

test("watchPrint() ends in time when the browser works", async () => {
  using busy = start("for (;;);");
  const { signal } = new AbortController();
  const clock = startClock((ms) => worked(busy.pid, ms));
  assert.equal(
    await watchPrint(lookBy(clock, busy.pid), { ...forGood, time: 400, signal, clock }),
    "overdue",
  );
  assert.equal(clock.passed, 400);
});

test("watchPrint() does not take a browser for stuck at which it came to look late", async () => {
  using busy = start("for (;;);");
  const { signal } = new AbortController();
  // A machine that has no time for the service either.
  const clock = startClock(async (ms) => {
    if (clock.passed === 0) clock.passed = 10_000;
    await worked(busy.pid, ms);
  });
  assert.equal(
    await watchPrint(lookBy(clock, busy.pid), { ...forGood, time: 400, signal, clock }),
    "overdue",
  );
});

test("watchPrint() does not look at a document that is done soon", async () => {
  const signal = AbortSignal.timeout(50);
  const look = () => assert.fail("it looked");
  assert.equal(await watchPrint(look, { ...forGood, time: 60_000, signal }), "done");
});

test("watchPrint() tells of a process that holds too much, but not of the browser's own", async () => {
  using parent = start(`
    const { spawn } = require("node:child_process");
    spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
  `);
  const told = new Set<number>();
  const done = new AbortController();
  const onTooLarge = (pid: number) => {
    told.add(pid);
    done.abort();
  };
  await watchPrint(openLooker(parent.pid).look, {
    ...{ memory: 1_000_000, onTooLarge, time: 60_000, signal: done.signal },
  });
  const [child] = told;
  assert.equal(told.size, 1);
  assert.notEqual(child, parent.pid);
  process.kill(child ?? 0, "SIGKILL");
});
