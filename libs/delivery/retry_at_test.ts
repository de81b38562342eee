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

test("retryAt() scales all waits with the first one", () => {
  const waits = [1, 2, 3, 7, 20].map((attempt) => {
    const next = retryAt({ attempt, acceptedAt, now: acceptedAt, random: middle, firstMs: 250 });
    return (next?.getTime() ?? 0) - acceptedAt.getTime();
  });
  assert.deepEqual(waits, [250, 1250, 3750, 60_000, 60_000]);
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

test("retryAt() accepts another limit", () => {
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

/** Returns when each attempt is made, in ms, for a mail that is refused until `acceptsAt`. */
function attemptsOf(
  { ageMs, random, acceptsAt = Infinity }: {
    ageMs: number;
    random: () => number;
    acceptsAt?: number;
  },
): number[] {
  const attempts: number[] = [0];
  for (;;) {
    const now = attempts.at(-1) ?? 0;
    if (now >= acceptsAt) return attempts;
    const next = retryAt({
      attempt: attempts.length,
      acceptedAt,
      now: new Date(acceptedAt.getTime() + now),
      random,
      giveUpAfterMs: ageMs,
    });
    if (next === null) return attempts;
    attempts.push(next.getTime() - acceptedAt.getTime());
  }
}

const schedule = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * 60_000);
const ages = [hours, 2 * hours, 48 * hours, 5 * 24 * hours];

test("retryAt() keeps its schedule up to the integration's age, with its last attempt there", () => {
  for (const ageMs of ages) {
    for (let run = 0; run < 200; run++) {
      const attempts = attemptsOf({ ageMs, random: Math.random });
      const waits = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
      const last = waits.pop() ?? 0;
      for (const [index, wait] of waits.entries()) {
        const planned = schedule[Math.min(index, schedule.length - 1)] ?? 0;
        assert.ok(Math.abs(wait - planned) <= planned * 0.2 + 1, `wait ${index + 1}: ${wait} ms`);
      }
      const longest = (schedule[Math.min(waits.length, schedule.length - 1)] ?? 0) * 1.2;
      assert.ok(last > 0 && last <= longest + 1, `last wait: ${last} ms`);
      assert.equal(attempts.at(-1), ageMs);
    }
  }
});

test("retryAt() makes the attempts of its schedule, and no more", () => {
  const counts = ages.map((ageMs) => attemptsOf({ ageMs, random: middle }).length);
  // 0, 1, 6, 21, 51 min; 1:51 h; 3:51; 7:51 and each 4 h; and the end.
  assert.deepEqual(counts, [6, 7, 19, 37]);
});

test("retryAt() spreads its jitter over the whole range", () => {
  const first = Array.from({ length: 2_000 }, () => minutesAfter(1, Math.random));
  assert.ok(Math.min(...first) < 0.82 && Math.max(...first) > 1.18);
  const mean = first.reduce((sum, wait) => sum + wait, 0) / first.length;
  assert.ok(mean > 0.98 && mean < 1.02, String(mean));
});

test("retryAt() delivers a mail to a server that refuses for 5 minutes or for 47 hours", () => {
  for (const [acceptsAt, most] of [[5 / 60 * hours, 4], [47 * hours, 23]] as const) {
    for (let run = 0; run < 200; run++) {
      const attempts = attemptsOf({ ageMs: 48 * hours, random: Math.random, acceptsAt });
      const at = attempts.at(-1) ?? 0;
      assert.ok(at >= acceptsAt && at <= 48 * hours, `accepted after ${at / hours} h`);
      assert.ok(attempts.length <= most, `${attempts.length} attempts`);
    }
  }
});
