import assert from "node:assert/strict";
import { test } from "node:test";
import { Throttle } from "./throttle.ts";

test("Throttle lets work that comes alone begin immediately, and the next run an interval later", () => {
  const clock = { time: 1000, now: () => clock.time };
  const throttle = new Throttle(50, clock);
  assert.equal(throttle.waitMs, 0);
  throttle.begin();
  clock.time += 10;
  assert.equal(throttle.waitMs, 40);
  // Asking changes nothing: a wait may end early, or not begin.
  assert.equal(throttle.waitMs, 40);
  clock.time += 60;
  assert.equal(throttle.waitMs, 0);
  throttle.begin();
  assert.equal(throttle.waitMs, 50, "it counts from when the work really began");
});

test("Throttle without an interval never waits", () => {
  const throttle = new Throttle(0);
  throttle.begin();
  assert.equal(throttle.waitMs, 0);
});
