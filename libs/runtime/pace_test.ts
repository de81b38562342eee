import assert from "node:assert/strict";
import { test } from "node:test";
import { openPace } from "./pace.ts";

test("openPace() lets work that comes alone begin immediately, and work that comes often once in an interval", () => {
  const clock = { time: 1000, now: () => clock.time };
  const pace = openPace(50, clock);
  assert.equal(pace(), 0);
  clock.time += 10;
  assert.equal(pace(), 40);
  clock.time += 40;
  assert.equal(pace(), 50);
  clock.time += 50;
  assert.equal(pace(), 50);
  clock.time += 101;
  assert.equal(pace(), 0);
});

test("openPace() without an interval never waits", () => {
  const pace = openPace(0);
  assert.deepEqual([pace(), pace(), pace()], [0, 0, 0]);
});
