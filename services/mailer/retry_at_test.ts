import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAt } from "./retry_at.ts";

const acceptedAt = new Date("2026-01-01T00:00:00Z");
const middle = () => 0.5;
const hours = 3_600_000;

function minutesAfter(attempt: number, random = middle): number {
  const next = retryAt({ attempt, acceptedAt, now: acceptedAt, random });
  return ((next?.getTime() ?? 0) - acceptedAt.getTime()) / 60_000;
}

test("retryAt() waits 1, 5, 15, 30 min, 1, 2, 4 h, then 4-hourly", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((attempt) => minutesAfter(attempt));
  assert.deepEqual(waits, [1, 5, 15, 30, 60, 120, 240, 240, 240]);
});

test("retryAt() moves a wait by at most 20 % either way", () => {
  assert.equal(minutesAfter(2, () => 0), 4);
  assert.equal(minutesAfter(2, () => 1), 6);
});

test("retryAt() gives up after 48 hours", () => {
  const at = (now: number) =>
    retryAt({ attempt: 9, acceptedAt, now: new Date(acceptedAt.getTime() + now), random: middle });
  assert.ok(at(48 * hours - 1) instanceof Date);
  assert.equal(at(48 * hours), null);
});

test("retryAt() makes its last attempt when the time is up, not later", () => {
  const now = new Date(acceptedAt.getTime() + 47 * hours);
  assert.deepEqual(
    retryAt({ attempt: 17, acceptedAt, now, random: middle }),
    new Date(acceptedAt.getTime() + 48 * hours),
  );
});

test("retryAt() takes another limit", () => {
  const now = new Date(acceptedAt.getTime() + hours);
  assert.equal(retryAt({ attempt: 4, acceptedAt, now, giveUpAfterMs: hours }), null);
});

test("retryAt() makes about 20 attempts in all and always ends", () => {
  let now = acceptedAt;
  let attempt = 1;
  for (;; attempt++) {
    const next = retryAt({ attempt, acceptedAt, now, random: middle });
    if (next === null) break;
    assert.ok(next > now);
    now = next;
  }
  assert.equal(attempt, 19);
});
