import assert from "node:assert/strict";
import { test } from "node:test";
import { CALM_MS, restartDelay } from "./restart_delay.ts";

test("restartDelay() waits longer each time and gives up after three starts in a minute", () => {
  const ends = [0, 1000, 2000, 3000];
  const delays = ends.map((_, i) => restartDelay(ends.slice(0, i + 1)));
  assert.deepEqual(delays, [500, 2000, 5000, undefined]);
});

test("restartDelay() ignores ends more than a minute ago", () => {
  assert.equal(restartDelay([0, 1, 2, 2 + CALM_MS]), 500);
});
