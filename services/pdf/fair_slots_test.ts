import assert from "node:assert/strict";
import { test } from "node:test";
import { stopTime } from "@posthaste/kit";
import { type Asker, createFairSlots } from "./fair_slots.ts";

/** Opens a queue whose slots are released one by one, in the order in which they were assigned. */
function openQueue(count: number) {
  const slots = createFairSlots(count);
  const started: string[] = [];
  const running: Disposable[] = [];
  return {
    slots,
    started,
    running,
    async ask(name: string, asker: Partial<Asker> = {}) {
      void slots.take({ accountId: name, priority: "transactional", ...asker }).then((place) => {
        started.push(name);
        running.push(place);
      });
      await settled();
    },
    async finishOne() {
      running.shift()?.[Symbol.dispose]();
      await settled();
    },
  };
}

function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

test("createFairSlots() assigns slots in the order of the requests", async () => {
  const queue = openQueue(2);
  for (const name of ["a", "b", "c", "d"]) await queue.ask(name);
  assert.deepEqual(queue.started, ["a", "b"]);
  assert.equal(queue.slots.waiting, 2);
  await queue.finishOne();
  await queue.finishOne();
  assert.deepEqual(queue.started, ["a", "b", "c", "d"]);
});

test("createFairSlots() assigns at most three quarters of two or more slots to bulk", async () => {
  const queue = openQueue(2);
  for (const name of ["b1", "b2", "b3"]) await queue.ask(name, { priority: "bulk" });
  assert.deepEqual(queue.started, ["b1"]);
  await queue.ask("now");
  assert.deepEqual(queue.started, ["b1", "now"]);
  const four = openQueue(4);
  for (const name of ["b1", "b2", "b3", "b4"]) await four.ask(name, { priority: "bulk" });
  assert.deepEqual(four.started, ["b1", "b2", "b3"], "three quarters");
  const alone = openQueue(1);
  await alone.ask("b1", { priority: "bulk" });
  assert.deepEqual(alone.started, ["b1"]);
});

test("createFairSlots() serves transactional priority first and never starves bulk", async (context) => {
  const { move } = stopTime(context);
  const queue = openQueue(1);
  await queue.ask("running");
  for (let n = 1; n <= 3; n++) await queue.ask(`b${n}`, { priority: "bulk" });
  for (let n = 1; n <= 4; n++) await queue.ask(`t${n}`);
  for (let n = 0; n < 4; n++) await queue.finishOne();
  assert.deepEqual(queue.started, ["running", "t1", "t2", "t3", "b1"]);
  // Another request always waits.
  for (let n = 5; n < 100 && !queue.started.includes("b3"); n++) {
    await queue.ask(`t${n}`);
    await queue.finishOne();
    await move(5);
  }
  assert.ok(queue.started.includes("b3"), queue.started.join(" "));
});

test("createFairSlots() assigns the next slot to the account that holds the fewest", async () => {
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

test("createFairSlots() gives bulk less than half of the slots while transactional priority is in use", async (context) => {
  const { move } = stopTime(context);
  const queue = openQueue(4);
  for (const name of ["b1", "b2"]) await queue.ask(name, { priority: "bulk" });
  await queue.ask("now");
  for (const name of ["b3", "b4", "b5"]) await queue.ask(name, { priority: "bulk" });
  assert.deepEqual(queue.started, ["b1", "b2", "now"], "those in work go on");
  await move(40);
  await queue.finishOne();
  await queue.finishOne();
  await move(40);
  assert.deepEqual(queue.started, ["b1", "b2", "now", "b3"]);
  await queue.finishOne();
  await move(300);
  assert.deepEqual(
    queue.started,
    ["b1", "b2", "now", "b3", "b4", "b5"],
    "nobody is there any more",
  );
});

test("createFairSlots() gives bulk three of eight slots while transactional priority is in use", async () => {
  const queue = openQueue(8);
  await queue.ask("now");
  for (let n = 1; n <= 8; n++) await queue.ask(`b${n}`, { priority: "bulk" });
  assert.deepEqual(queue.started, ["now", "b1", "b2", "b3"]);
});
