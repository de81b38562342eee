import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { limitedCalls } from "./limited_calls.ts";

test("limitedCalls() runs at most as many works as allowed, in their order, also after a failure", async () => {
  const limited = limitedCalls(2);
  const { signal } = new AbortController();
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const calls = Array.from({ length: 50 }, (_, number) =>
    limited(async () => {
      begun.push(number);
      most = Math.max(most, ++running);
      await setTimeout(1);
      running--;
      if (number % 7 === 0) throw new Error(`No. ${number}`);
      return number;
    }, signal));
  const results = await Promise.allSettled(calls);
  assert.equal(most, 2);
  assert.deepEqual(begun, Array.from({ length: 50 }, (_, number) => number));
  assert.equal(results.filter(({ status }) => status === "rejected").length, 8);
});

test("limitedCalls() does not run a work that was aborted while it waited", async () => {
  const limited = limitedCalls(1);
  const abort = new AbortController();
  const first = limited(() => setTimeout(5, "first"), new AbortController().signal);
  const second = limited(() => Promise.reject(new Error("It ran")), abort.signal);
  const third = limited(() => Promise.resolve("third"), new AbortController().signal);
  abort.abort();
  await assert.rejects(second, { name: "AbortError" });
  assert.deepEqual(await Promise.all([first, third]), ["first", "third"]);
});
