import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { BrowserPool } from "./browser_pool.ts";
import type { BrowserProcess } from "./browser_process.ts";

const HOUR_MS = 3_600_000;

/** A browser without a program: `busy` documents are in print, and it is an hour old. */
function openBrowser({ busy = 0 } = {}) {
  const events: string[] = [];
  const process = {
    ...{ alive: true, busy, printed: 1, startedAt: Date.now() - HOUR_MS, memory: () => 1000 },
    warm: (pages: number) => Promise.resolve(void events.push(`warm ${pages}`)),
    close: () => Promise.resolve(void events.push("close")),
    kill: () => Promise.resolve(void events.push("kill")),
  };
  return { events, process: process as typeof process & BrowserProcess };
}

/** A pool that starts one browser after the other, each when the test says so. */
function openPool({ memory = Infinity } = {}) {
  const starts: PromiseWithResolvers<BrowserProcess>[] = [];
  const stops: string[] = [];
  const pool = new BrowserPool({
    launch() {
      const start = Promise.withResolvers<BrowserProcess>();
      starts.push(start);
      return start.promise;
    },
    pages: 2,
    recycle: { age: HOUR_MS, memory },
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
  assert.deepEqual(old.events, ["warm 1"], "nobody could print meanwhile");
  pool.inspect();
  pool.inspect();
  assert.equal(await pool.running(), old.process);
  assert.deepEqual([starts.length, stops], [2, []]);
  await start(young.process);
  assert.equal(await pool.running(), young.process);
  assert.deepEqual([young.events, stops, old.events], [
    ["warm 2"],
    ["recycled"],
    ["warm 1"],
  ]);
  assert.equal(pool.inspect(), 2000);
  Object.assign(old.process, { busy: 0 });
  pool.afterPrint(old.process);
  assert.deepEqual(old.events, ["warm 1", "close"]);
});

test("an old browser stays if no successor starts, and another is tried ten seconds later", async (t: TestContext) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1 });
  const { pool, starts, stops, start } = openPool();
  const old = openBrowser();
  void pool.running();
  await start(old.process);
  pool.inspect();
  starts.at(-1)?.reject(new Error("no memory"));
  await turns();
  pool.inspect();
  assert.equal(starts.length, 2);
  t.mock.timers.setTime(10_002);
  pool.inspect();
  assert.equal(starts.length, 3);
  assert.equal(await pool.running(), old.process);
  assert.deepEqual(stops, []);
});

test("an old browser stays if its successor opens no page", async () => {
  const { pool, stops, start } = openPool();
  const [old, young] = [openBrowser(), openBrowser()];
  void pool.running();
  await start(old.process);
  pool.inspect();
  Object.assign(young.process, { warm: () => Promise.reject(new Error("no page")) });
  await start(young.process);
  assert.equal(await pool.running(), old.process);
  assert.deepEqual([stops, young.events, old.events], [["crashed"], ["kill"], ["warm 1"]]);
});

test("documents wait for the successor if the old browser crashes meanwhile", async () => {
  const { pool, starts, stops, start } = openPool();
  const [old, young] = [openBrowser(), openBrowser()];
  void pool.running();
  await start(old.process);
  pool.inspect();
  Object.assign(old.process, { alive: false });
  const next = pool.running();
  await start(young.process);
  assert.equal(await next, young.process);
  assert.deepEqual([starts.length, stops, old.events], [2, ["crashed"], [
    "warm 1",
    "kill",
  ]]);
});

test("a browser that opens no page does not count as started", async () => {
  const { pool, stops, start } = openPool();
  const broken = openBrowser();
  Object.assign(broken.process, { warm: () => Promise.reject(new Error("no page")) });
  const first = assert.rejects(pool.running(), { message: "no page" });
  await start(broken.process);
  await first;
  assert.deepEqual([pool.current, pool.hasFailed], [undefined, true]);
  assert.deepEqual([stops, broken.events], [["crashed"], ["kill"]]);
  const whole = openBrowser();
  const next = pool.running();
  await start(whole.process);
  assert.equal(await next, whole.process);
  assert.equal(pool.hasFailed, false);
});

test("inspect() replaces an idle browser that holds too much memory", async () => {
  const { pool, starts, stops, start } = openPool({ memory: 999 });
  const [old, young] = [openBrowser(), openBrowser()];
  Object.assign(old.process, { startedAt: Date.now(), printed: 0 });
  void pool.running();
  await start(old.process);
  assert.equal(pool.inspect(), 1000);
  assert.equal(starts.length, 1, "another would hold as much");
  Object.assign(old.process, { printed: 1 });
  pool.inspect();
  await start(young.process);
  assert.deepEqual([stops, old.events], [["recycled"], ["warm 1", "close"]]);
});
