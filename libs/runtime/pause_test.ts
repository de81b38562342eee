import assert from "node:assert/strict";
import { test } from "node:test";
import { pause, pauseMsFrom } from "./pause.ts";

test("pauseMsFrom() keeps a short pause as it is", () => {
  assert.deepEqual([pauseMsFrom(10_300, 20), pauseMsFrom(10_300, 999)], [20, 999]);
});

test("pauseMsFrom() ends a long pause on a whole second of the process' clock", () => {
  assert.equal(pauseMsFrom(10_000, 2000), 2000);
  // What was done took 5 ms, and does not move the next beat.
  assert.equal(pauseMsFrom(10_005, 2000), 1995);
  assert.equal(pauseMsFrom(10_400, 1000), 600);
  assert.equal(pauseMsFrom(10_600, 1000), 1400);
});

test("pause() ends with its signal, and does not throw", async () => {
  const stop = new AbortController();
  const ended = pause(60_000, stop.signal);
  stop.abort();
  await ended;
  await pause(60_000, stop.signal);
});
