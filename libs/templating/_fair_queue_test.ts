import assert from "node:assert/strict";
import { test } from "node:test";
import { openFairQueue } from "./_fair_queue.ts";

const any = () => true;

test("openFairQueue() serves the owner first who used the least, and forgets usage in time", () => {
  const queue = openFairQueue<number>();
  for (const owner of ["a", "b", "c"]) queue.add(owner, 1);
  queue.charge("a", 300, 0);
  queue.charge("b", 200, 0);
  assert.equal(queue.next(0, any), "c");
  assert.equal(queue.next(0, (owner) => owner !== "c"), "b");
  queue.charge("c", 50, 0);
  queue.charge("c", 60, 30_000);
  assert.equal(queue.next(30_000, any), "b", "25 ms are left of its 200, 37 of a's 300, c has 66");
});

test("openFairQueue() keeps the order of each owner, and takes turns between equals", () => {
  const queue = openFairQueue<number>();
  queue.add("a", 2);
  queue.add("b", 9);
  queue.putBack("a", [0, 1]);
  assert.deepEqual([queue.size, queue.waiting("a"), queue.peek("a")], [4, 3, 0]);
  assert.deepEqual([queue.take("a"), queue.take("a"), queue.take("a")], [0, 1, 2]);
  assert.equal(queue.next(0, any), "b");
  queue.add("a", 3);
  queue.charge("a", 0, 1);
  assert.equal(queue.next(1, any), "b");
  assert.deepEqual(queue.remove((item) => item > 5), [9]);
  assert.deepEqual([queue.size, queue.next(1, any)], [1, "a"]);
});

test("openFairQueue() remembers a slow fill's owner for a minute", () => {
  const queue = openFairQueue<number>();
  queue.charge("quick", 2_000, 0);
  queue.noteSlow("slow", 0);
  assert.deepEqual([queue.isSlow("quick", 1), queue.isSlow("slow", 59_000)], [false, true]);
  assert.equal(queue.isSlow("slow", 61_000), false);
});

test("openFairQueue() does not remember every owner forever", () => {
  const queue = openFairQueue<number>();
  for (let n = 0; n < 5_000; n++) {
    queue.noteSlow(`o${n}`, n * 1_000);
    queue.charge(`o${n}`, 2_000, n * 1_000);
  }
  let slow = 0;
  for (let n = 0; n < 5_000; n++) if (queue.isSlow(`o${n}`, 0)) slow++;
  assert.ok(slow <= 1_001, `${slow} are remembered`);
});
