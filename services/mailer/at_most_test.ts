import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { atMost } from "./at_most.ts";

test("atMost() works for so many at a time, in their order, whatever fails", async () => {
  let now = 0;
  let most = 0;
  const begun: number[] = [];
  const work = atMost(2, async (n: number) => {
    begun.push(n);
    most = Math.max(most, ++now);
    await delay(2);
    now--;
    if (n % 3 === 0) throw new Error(`no ${n}`);
    return n;
  });
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  const results = await Promise.allSettled(numbers.map((n) => work(n)));
  assert.equal(most, 2);
  assert.deepEqual(begun, numbers);
  assert.equal(results.filter(({ status }) => status === "rejected").length, 7);
  assert.equal(await work(1), 1);
});
