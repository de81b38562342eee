import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import {
  type AcquireInTimeOptions,
  openSemaphore,
  type Permit,
  type SemaphoreOptions,
} from "./semaphore.ts";

/** Opens workers that acquire a permit each, and end in the order in which they got them. */
function openWorkers(options: SemaphoreOptions) {
  const semaphore = openSemaphore(options);
  const started: string[] = [];
  const running: Permit[] = [];
  return {
    semaphore,
    started,
    running,
    /** Begins workers by their names. The owner of `a2` is `a`. */
    async begin(names: string, options: Partial<AcquireInTimeOptions> = {}) {
      for (const name of names.split(" ")) {
        const owner = name.replace(/\d+$/, "");
        void semaphore.acquire(owner, options as AcquireInTimeOptions).then((permit) => {
          started.push(permit === undefined ? `${name} late` : name);
          if (permit !== undefined) running.push(permit);
        }, (error) => started.push(`${name} ${error}`));
      }
      await turn();
    },
    async end(count = 1) {
      for (let n = 0; n < count; n++) {
        running.shift()?.[Symbol.dispose]();
        await turn();
      }
    },
  };
}

function stopTime({ mock }: TestContext) {
  mock.timers.enable({ apis: ["setTimeout"] });
  return async (ms: number) => {
    mock.timers.tick(ms);
    await turn();
  };
}

test("acquire() grants permits in the order of requests, up to the limit", async () => {
  const { semaphore, started, begin, end } = openWorkers({ max: 2 });
  await begin("a b c d");
  assert.deepEqual(started, ["a", "b"]);
  assert.deepEqual([semaphore.held, semaphore.waiting], [2, 2]);
  await end();
  assert.deepEqual(started, ["a", "b", "c"]);
  await end(3);
  assert.deepEqual(started, ["a", "b", "c", "d"]);
  assert.deepEqual([semaphore.held, semaphore.waiting], [0, 0]);
});

test("acquire() lets owners take turns, however much one of them has waiting", async () => {
  const { started, begin, end } = openWorkers({ max: 1 });
  await begin("a1 a2 a3 a4 b1 b2 c1");
  await end(7);
  assert.deepEqual(started, ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("acquire() prefers the owner that holds the fewest", async () => {
  const { started, running, begin, end } = openWorkers({ max: 3 });
  await begin("a1 a2 b1 a3 b2 b3");
  // b1 ends: b holds none, and a holds two.
  running.splice(2, 1)[0]?.[Symbol.dispose]();
  await turn();
  assert.deepEqual(started.slice(3), ["b2"]);
  await end();
  assert.equal(started.length, 5);
});

test("acquire() keeps an owner to its share, without delaying others", async () => {
  const { semaphore, started, begin, end } = openWorkers({ max: Infinity, maxPerOwner: 1 });
  await begin("a1 a2 b1");
  assert.deepEqual(started, ["a1", "b1"]);
  assert.equal(semaphore.tryAcquire("a"), undefined);
  using other = semaphore.tryAcquire("c");
  assert.ok(other);
  await end();
  assert.deepEqual(started, ["a1", "b1", "a2"]);
});

test("acquire() grants transactional first, and bulk every fourth time", async () => {
  const { started, begin, end } = openWorkers({ max: 1 });
  await begin("first");
  await begin("b1 b2", { priority: "bulk" });
  await begin("t1 t2 t3 t4");
  await end(7);
  assert.deepEqual(started, ["first", "t1", "t2", "t3", "b1", "t4", "b2"]);
});

test("acquire() counts only the permits that pass waiting bulk", async () => {
  const { started, begin, end } = openWorkers({ max: 1 });
  await begin("first");
  await begin("t1 t2 t3 t4 t5");
  await end(5);
  await begin("b1", { priority: "bulk" });
  await begin("t6 t7 t8 t9");
  await end(5);
  assert.deepEqual(started.slice(6), ["t6", "t7", "t8", "b1", "t9"]);
});

test("waitersBefore() counts whom acquire() lets go before a new waiter", async () => {
  const semaphore = openSemaphore({ max: 1 });
  using _held = await semaphore.acquire();
  const ended = new AbortController();
  const counted = (bulk: number, transactional: number) => {
    const { signal } = ended;
    const wait = (priority: "bulk" | "transactional") =>
      semaphore.acquire("", { priority, signal }).catch(() => undefined);
    for (let n = 0; n < bulk; n++) void wait("bulk");
    for (let n = 0; n < transactional; n++) void wait("transactional");
    return [semaphore.waitersBefore("transactional"), semaphore.waitersBefore("bulk")];
  };
  assert.deepEqual(counted(8, 0), [0, 8]);
  assert.deepEqual(counted(0, 2), [2, 10]);
  assert.deepEqual(counted(0, 4), [8, 14]);
  assert.deepEqual(counted(0, 24), [38, 38]);
  ended.abort();
});

test("acquire() keeps the turn of a large permit until there is space for it", async () => {
  const { semaphore, started, begin, end } = openWorkers({ max: 3 });
  await begin("a b");
  await begin("large", { amount: 3 });
  await begin("small");
  assert.equal(semaphore.tryAcquire("later"), undefined);
  await end();
  assert.deepEqual(started, ["a", "b"]);
  await end();
  assert.deepEqual(started, ["a", "b", "large"]);
  await end();
  assert.deepEqual(started, ["a", "b", "large", "small"]);
});

test("acquire() waits no longer than its limit, and leaves nothing behind", async (context) => {
  const pass = stopTime(context);
  const { semaphore, started, begin, end } = openWorkers({ max: 1 });
  await begin("a");
  await begin("b", { maxWaitMs: 1000 });
  await begin("c", { maxWaitMs: 2000 });
  await pass(999);
  assert.deepEqual(started, ["a"]);
  await pass(1);
  assert.deepEqual(started, ["a", "b late"]);
  await end();
  await pass(10_000);
  assert.deepEqual(started, ["a", "b late", "c"]);
  await end();
  assert.deepEqual([semaphore.held, semaphore.waiting], [0, 0]);
});

test("acquire() ends its wait with the signal, and unblocks those behind it", async () => {
  const { semaphore, started, begin, end } = openWorkers({ max: 2 });
  const stop = new AbortController();
  await begin("a");
  await begin("large", { amount: 2, signal: stop.signal });
  await begin("small");
  assert.deepEqual(started, ["a"]);
  stop.abort("stopped");
  await turn();
  assert.deepEqual(started, ["a", "small", "large stopped"]);
  await end(2);
  assert.equal(semaphore.held, 0);
  await assert.rejects(semaphore.acquire("a", { signal: stop.signal }), (e) => e === "stopped");
});

test("a permit is released once, and never goes to two callers at the same moment", async () => {
  const { semaphore, started, running, begin } = openWorkers({ max: 1 });
  await begin("a b");
  const [first] = running;
  first?.[Symbol.dispose]();
  // b has it already, though its code has not continued.
  assert.equal(semaphore.tryAcquire("c"), undefined);
  first?.[Symbol.dispose]();
  await turn();
  assert.deepEqual(started, ["a", "b"]);
  assert.equal(semaphore.held, 1);
});

test("tryAcquire() refuses units that do not fit, of all and of one owner", () => {
  const semaphore = openSemaphore({ max: 100, maxPerOwner: 60 });
  const first = semaphore.tryAcquire("a", 60);
  assert.equal(semaphore.tryAcquire("a", 1), undefined);
  assert.ok(semaphore.tryAcquire("b", 40));
  assert.equal(semaphore.tryAcquire("c", 1), undefined);
  first?.[Symbol.dispose]();
  assert.ok(semaphore.tryAcquire("c", 60));
});

test("tryAcquire() allows an owner as many units as are free, if that is its share", () => {
  const semaphore = openSemaphore({ max: 64, maxPerOwner: (free) => free });
  const counts = ["a", "b", "c"].map((owner) => {
    let count = 0;
    while (semaphore.tryAcquire(owner) !== undefined) count++;
    return count;
  });
  assert.deepEqual(counts, [32, 16, 8]);
  assert.ok(semaphore.tryAcquire("d"));
  const single = openSemaphore({ max: 1, maxPerOwner: (free) => free });
  assert.ok(single.tryAcquire("a"));
  assert.equal(single.tryAcquire("b"), undefined);
});

test("grow() returns which limit is full, and grants the only permit any size", () => {
  const semaphore = openSemaphore({ max: 10, maxPerOwner: 6 });
  const first = semaphore.tryAcquire("a", 0);
  const second = semaphore.tryAcquire("a", 0);
  assert.equal(first?.grow(4), undefined);
  assert.equal(second?.grow(3), "owner");
  assert.equal(second?.grow(2), undefined);
  assert.equal(semaphore.tryAcquire("b", 0)?.grow(5), "all");
  first?.[Symbol.dispose]();
  assert.equal(second?.grow(100), undefined);
  assert.equal(first?.grow(1), undefined);
  assert.deepEqual([first?.held, second?.held, semaphore.held], [0, 102, 102]);
});

test("resize() starts waiters, and takes nothing from holders", async () => {
  const { semaphore, started, begin, end } = openWorkers({ max: 1 });
  await begin("a b c d");
  semaphore.resize(3);
  await turn();
  assert.deepEqual(started, ["a", "b", "c"]);
  semaphore.resize(1);
  await end(2);
  assert.deepEqual(started, ["a", "b", "c"]);
  await end();
  assert.deepEqual(started, ["a", "b", "c", "d"]);
});
