import assert from "node:assert/strict";
import { test } from "node:test";
import { type Pace, takeToken } from "./pace.ts";

function countWithin(perMinute: number, minutes: number): number {
  const pace: Pace = { tokens: 1, at: 0 };
  let sent = 0;
  for (let now = 0; now < minutes * 60_000;) {
    const waitMs = takeToken(pace, perMinute, now);
    if (waitMs === 0) sent++;
    else now += waitMs;
  }
  return sent;
}

test("takeToken() keeps to the rate, whatever it is, with a second's worth at once at most", () => {
  for (const perMinute of [1, 7, 60, 6000]) {
    const sent = countWithin(perMinute, 5);
    assert.ok(sent <= perMinute * 5 + Math.max(1, perMinute / 60), `${sent} at ${perMinute}`);
    assert.ok(sent >= perMinute * 5 * 0.98, `${sent} at ${perMinute}`);
  }
});

test("takeToken() does not save up for more than a second", () => {
  const pace: Pace = { tokens: 0, at: 0 };
  let burst = 0;
  while (takeToken(pace, 600, 3_600_000) === 0) burst++;
  assert.equal(burst, 10);
});
