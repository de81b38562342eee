import assert from "node:assert/strict";
import { test } from "node:test";
import { pause, untilBeat } from "./pause.ts";

test("untilBeat() keeps a short pause as it is", () => {
  assert.deepEqual([untilBeat(20, 10_300), untilBeat(999, 10_300)], [20, 999]);
});

test("untilBeat() ends a long pause on a whole second of the process' clock", () => {
  assert.equal(untilBeat(2000, 10_000), 2000);
  // What was done took 5 ms, and does not move the next beat.
  assert.equal(untilBeat(2000, 10_005), 1995);
  assert.equal(untilBeat(1000, 10_400), 600);
  assert.equal(untilBeat(1000, 10_600), 1400);
});

test("pause() ends with its signal, and does not throw", async () => {
  const stop = new AbortController();
  const ended = pause(60_000, stop.signal);
  stop.abort();
  await ended;
  await pause(60_000, stop.signal);
});
