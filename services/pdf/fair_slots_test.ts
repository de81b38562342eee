import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Asker, createFairSlots } from "./fair_slots.ts";

/** Askers whose places are given back one by one, in the order in which they got them. */
function openQueue(count: number) {
  const slots = createFairSlots(count);
  const started: string[] = [];
  const running: (() => void)[] = [];
  return {
    slots,
    started,
    running,
    async ask(name: string, asker: Partial<Asker> = {}) {
      void slots.take({ accountId: name, lane: "transactional", ...asker }).then((giveBack) => {
        started.push(name);
        running.push(giveBack);
      });
      await settled();
    },
    async finishOne() {
      running.shift()?.();
      await settled();
    },
  };
}

function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

test("createFairSlots() hands out places in the order of asking", async () => {
  const queue = openQueue(2);
  for (const name of ["a", "b", "c", "d"]) await queue.ask(name);
  assert.deepEqual(queue.started, ["a", "b"]);
  assert.equal(queue.slots.waiting, 2);
  await queue.finishOne();
  await queue.finishOne();
  assert.deepEqual(queue.started, ["a", "b", "c", "d"]);
});

test("createFairSlots() keeps a place that bulk never holds, if there are two", async () => {
  const queue = openQueue(2);
  for (const name of ["b1", "b2", "b3"]) await queue.ask(name, { lane: "bulk" });
  assert.deepEqual(queue.started, ["b1"]);
  await queue.ask("now");
  assert.deepEqual(queue.started, ["b1", "now"]);
  const alone = openQueue(1);
  await alone.ask("b1", { lane: "bulk" });
  assert.deepEqual(alone.started, ["b1"]);
});

test("createFairSlots() lets the transactional lane go first and bulk never starve", async () => {
  const queue = openQueue(1);
  await queue.ask("running");
  for (let n = 1; n <= 3; n++) await queue.ask(`b${n}`, { lane: "bulk" });
  for (let n = 1; n <= 4; n++) await queue.ask(`t${n}`);
  for (let n = 0; n < 4; n++) await queue.finishOne();
  assert.deepEqual(queue.started, ["running", "t1", "t2", "t3", "b1"]);
  // There is always one more.
  for (let n = 5; n < 100 && !queue.started.includes("b3"); n++) {
    await queue.ask(`t${n}`);
    await queue.finishOne();
    await delay(5);
  }
  assert.ok(queue.started.includes("b3"), queue.started.join(" "));
});

test("createFairSlots() gives the next place to the account that holds the fewest", async () => {
  const queue = openQueue(2);
  for (let n = 1; n <= 6; n++) await queue.ask(`noisy${n}`, { accountId: "noisy" });
  await queue.ask("quiet1", { accountId: "quiet" });
  await queue.ask("quiet2", { accountId: "quiet" });
  assert.deepEqual(queue.started, ["noisy1", "noisy2"]);
  await queue.finishOne();
  await queue.finishOne();
  assert.deepEqual(queue.started.slice(2), ["quiet1", "noisy3"]);
  for (let n = 0; n < 6; n++) await queue.finishOne();
  assert.equal(queue.started.length, 8, "all had their turn");
});

test("createFairSlots() lets bulk rest while the transactional lane is in use, and no longer", async () => {
  const queue = openQueue(2);
  await queue.ask("now");
  for (const name of ["b1", "b2", "b3"]) await queue.ask(name, { lane: "bulk" });
  await delay(40);
  const [endNow, endBulk] = queue.running.splice(0);
  endBulk?.();
  await delay(60);
  assert.deepEqual(queue.started, ["now", "b1"], "it rests");
  await delay(120);
  assert.deepEqual(queue.started, ["now", "b1", "b2"], "it has rested three times as long");
  await delay(200);
  queue.running.splice(0)[0]?.();
  endNow?.();
  await delay(200);
  assert.deepEqual(queue.started, ["now", "b1", "b2", "b3"], "nobody is there any more");
});
