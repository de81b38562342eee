import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { openLooker } from "./process_look.ts";
import { type WatchOptions, watchPrint } from "./watch_print.ts";

/** Returns a browser that uses `cores` of each second, and a clock that `sleep()` advances. */
function startBrowser(
  { cores, lateMs = 0, isRunnable = false }: {
    cores: number;
    lateMs?: number;
    isRunnable?: boolean;
  },
) {
  const world = { now: 0, cpu: 0, looks: 0 };
  const clock = {
    now: () => world.now,
    sleep(ms: number) {
      const passed = world.now === 0 ? ms + lateMs : ms;
      world.now += passed;
      world.cpu += passed * cores;
      return Promise.resolve();
    },
  };
  const watch = (options: Partial<WatchOptions>) =>
    watchPrint(() => ({ at: world.now, cpu: world.cpu, isRunnable, memory: new Map() }), {
      ...{ time: 1000, memory: Infinity, onTooLarge: () => undefined, beside: () => 1, clock },
      ...{ signal: new AbortController().signal, ...options },
    });
  return { watch };
}

test("watchPrint() ends in time when the browser works", async () => {
  for (const cores of [1, 2]) {
    const { watch } = startBrowser({ cores });
    assert.deepEqual(await watch({}), { how: "overdue", elapsedMs: 1000, workedMs: 1000 });
  }
});

test("watchPrint() counts the document's own time, and not what others take", async () => {
  const slow = startBrowser({ cores: 0.25 });
  assert.deepEqual(await slow.watch({}), {
    ...{ how: "overdue", elapsedMs: 3250, workedMs: 1000 },
  });
  const shared = startBrowser({ cores: 1 });
  assert.deepEqual(await shared.watch({ beside: () => 2 }), {
    ...{ how: "overdue", elapsedMs: 1750, workedMs: 1000 },
  });
  const starved = startBrowser({ cores: 0.05 });
  assert.deepEqual(await starved.watch({}), {
    ...{ how: "overdue", elapsedMs: 10_000, workedMs: 737.5 },
  });
});

test("watchPrint() waits four times as long for an idle browser as for one that works", async () => {
  const { watch } = startBrowser({ cores: 0 });
  assert.deepEqual(await watch({}), { how: "stuck", elapsedMs: 4000, workedMs: 250 });
});

test("watchPrint() does not take a browser that waits for a processor for an idle one", async () => {
  const { watch } = startBrowser({ cores: 0.01, isRunnable: true });
  assert.deepEqual(await watch({}), { how: "starved", elapsedMs: 10_000, workedMs: 347.5 });
});

test("watchPrint() does not report a browser as stuck after a late measurement", async () => {
  const { watch } = startBrowser({ cores: 1, lateMs: 60_000 });
  assert.equal((await watch({})).how, "overdue");
});

test("watchPrint() measures nothing for a document that is done soon", async () => {
  const signal = AbortSignal.timeout(50);
  const look = () => assert.fail("it looked");
  const { how } = await watchPrint(look, {
    ...{ time: 60_000, memory: Infinity, onTooLarge: () => undefined, beside: () => 1, signal },
  });
  assert.equal(how, "done");
});

test("watchPrint() reports a process that uses too much memory, but not the main process", async () => {
  const script = `
    const { spawn } = require("node:child_process");
    spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
  `;
  const parent = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  const { pid = 0 } = parent;
  const reported = new Set<number>();
  const done = new AbortController();
  const onTooLarge = (child: number) => {
    reported.add(child);
    done.abort();
  };
  const looker = openLooker(pid);
  // The child may not exist yet at the first measurement.
  const look = () => {
    looker.refresh();
    return looker.look();
  };
  await watchPrint(look, {
    ...{ memory: 1_000_000, onTooLarge, time: 60_000, beside: () => 1, signal: done.signal },
  });
  const [child] = reported;
  assert.equal(reported.size, 1);
  assert.notEqual(child, pid);
  process.kill(child ?? 0, "SIGKILL");
  parent.kill("SIGKILL");
});
