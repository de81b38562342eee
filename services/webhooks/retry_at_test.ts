import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfterMs, retryAt } from "./retry_at.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const waitOf = (tries: number, changes = {}) => {
  const at = retryAt({ tries, now: NOW, random: 0.5, ...changes });
  return at && (at.getTime() - NOW.getTime()) / 1000;
};

test("retryAt() waits longer each time, and gives up after ten attempts", () => {
  const waits = Array.from({ length: 10 }, (_, index) => waitOf(index + 1));
  const hours = [2, 5, 10, 14, 20, 24].map((hour) => hour * 3600);
  assert.deepEqual(waits, [5, 300, 1800, ...hours, null]);
});

test("retryAt() spreads its waits, and waits as long as the endpoint requests, up to a day", () => {
  assert.deepEqual([waitOf(2, { random: 0 }), waitOf(2, { random: 1 })], [270, 330]);
  assert.equal(waitOf(1, { retryAfterMs: 60_000 }), 60);
  assert.equal(waitOf(1, { retryAfterMs: 1000 }), 5);
  assert.equal(waitOf(1, { retryAfterMs: 1e12 }), 86_400);
});

test("retryAfterMs() reads seconds and dates", () => {
  assert.equal(retryAfterMs("120", NOW), 120_000);
  assert.equal(retryAfterMs("Sun, 01 Mar 2026 12:01:00 GMT", NOW), 60_000);
  assert.equal(retryAfterMs("Sun, 01 Mar 2026 11:00:00 GMT", NOW), 0);
  assert.equal(retryAfterMs("soon", NOW), undefined);
  assert.equal(retryAfterMs(undefined, NOW), undefined);
});
