import { until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import process from "node:process";
import { test } from "node:test";
import { processorWaitMs } from "./processor_wait.ts";

const skip = !existsSync("/proc/self/schedstat") && "the kernel does not count it";

test("processorWaitMs() grows while others run, not while it runs", { skip }, async () => {
  await using busy = startBusy(3 * availableParallelism());
  // Three for each processor: each waits twice as long as it runs.
  const waits = () => busy.pids.map(processorWaitMs);
  await until(() => waits().every((waitMs) => waitMs > 300));
  assert.ok(sum(waits()) > sum(busy.pids.map(runMs)));
});

test("processorWaitMs() does not grow for a process that sleeps", { skip }, async () => {
  const sleeper = spawn(
    process.execPath,
    ["--eval", "process.send(1); setInterval(() => {}, 1e6)"],
    {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    },
  );
  await using stack = new AsyncDisposableStack();
  stack.defer(() => end(sleeper));
  await once(sleeper, "message");
  const pid = sleeper.pid ?? NaN;
  const busy = stack.use(startBusy(3 * availableParallelism()));
  const before = processorWaitMs(pid);
  await until(() => busy.pids.every((one) => processorWaitMs(one) > 300));
  const grownMs = processorWaitMs(pid) - before;
  assert.ok(grownMs < 150, `${grownMs} ms`);
});

test("processorWaitMs() is 0 of a process that has ended", async () => {
  const child = spawn(process.execPath, ["--eval", ""], { stdio: "ignore" });
  await once(child, "exit");
  assert.equal(processorWaitMs(child.pid ?? NaN), 0);
});

/** Starts processes that always want a processor, until disposal. */
function startBusy(count: number): AsyncDisposable & { pids: number[] } {
  const children = Array.from(
    { length: count },
    () => spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
  );
  return {
    pids: children.map(({ pid }) => pid ?? NaN),
    [Symbol.asyncDispose]: async () => void await Promise.all(children.map(end)),
  };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** How long the main thread of a process has run, in milliseconds. */
function runMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
