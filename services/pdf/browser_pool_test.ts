import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { BrowserPool } from "./browser_pool.ts";
import type { BrowserProcess } from "./browser_process.ts";

const HOUR_MS = 3_600_000;

/** A browser without a program: `busy` documents are in print, and it is an hour old. */
function openBrowser({ busy = 0 } = {}) {
  const events: string[] = [];
  const process = {
    ...{ alive: true, busy, startedAt: Date.now() - HOUR_MS },
    warm: () => Promise.resolve(void events.push("warm")),
    close: () => Promise.resolve(void events.push("close")),
    kill: () => Promise.resolve(void events.push("kill")),
  };
  return { events, process: process as typeof process & BrowserProcess };
}

/** A pool that starts one browser after the other, each when the test says so. */
function openPool() {
  const starts: PromiseWithResolvers<BrowserProcess>[] = [];
  const stops: string[] = [];
  const pool = new BrowserPool({
    launch() {
      const start = Promise.withResolvers<BrowserProcess>();
      starts.push(start);
      return start.promise;
    },
    pages: 2,
    recycle: { age: HOUR_MS, memory: Infinity },
    onStop: (reason) => stops.push(reason),
  });
  const start = async (process: BrowserProcess) => {
    starts.at(-1)?.resolve(process);
    await turns();
  };
  return { pool, starts, stops, start };
}

/** Waits until all that can happen now has happened. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test("an old browser takes documents until its successor has pages", async () => {
  const { pool, starts, stops, start } = openPool();
  const [old, young] = [openBrowser({ busy: 1 }), openBrowser()];
  const first = pool.running();
  await start(old.process);
  assert.equal(await first, old.process);
  assert.deepEqual(old.events, [], "nobody could print meanwhile");
  pool.afterPrint(old.process);
  pool.afterPrint(old.process);
  assert.equal(await pool.running(), old.process);
  assert.deepEqual([starts.length, stops], [2, []]);
  await start(young.process);
  assert.equal(await pool.running(), young.process);
  assert.deepEqual([young.events, stops, old.events], [["warm"], ["recycled"], []]);
  Object.assign(old.process, { busy: 0 });
  pool.afterPrint(old.process);
  assert.deepEqual(old.events, ["close"]);
});

test("an old browser stays if no successor starts, and another is tried ten seconds later", async (t: TestContext) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1 });
  const { pool, starts, stops, start } = openPool();
  const old = openBrowser();
  void pool.running();
  await start(old.process);
  pool.afterPrint(old.process);
  starts.at(-1)?.reject(new Error("no memory"));
  await turns();
  pool.afterPrint(old.process);
  assert.equal(starts.length, 2);
  t.mock.timers.setTime(10_002);
  pool.afterPrint(old.process);
  assert.equal(starts.length, 3);
  assert.equal(await pool.running(), old.process);
  assert.deepEqual(stops, []);
});

test("an old browser stays if its successor opens no page", async () => {
  const { pool, stops, start } = openPool();
  const [old, young] = [openBrowser(), openBrowser()];
  void pool.running();
  await start(old.process);
  pool.afterPrint(old.process);
  Object.assign(young.process, { warm: () => Promise.reject(new Error("no page")) });
  await start(young.process);
  assert.equal(await pool.running(), old.process);
  assert.deepEqual([stops, young.events, old.events], [["crashed"], ["kill"], []]);
});

test("documents wait for the successor if the old browser crashes meanwhile", async () => {
  const { pool, starts, stops, start } = openPool();
  const [old, young] = [openBrowser(), openBrowser()];
  void pool.running();
  await start(old.process);
  pool.afterPrint(old.process);
  Object.assign(old.process, { alive: false });
  const next = pool.running();
  await start(young.process);
  assert.equal(await next, young.process);
  assert.deepEqual([starts.length, stops, old.events], [2, ["crashed"], ["kill"]]);
});
