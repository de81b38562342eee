import assert from "node:assert/strict";
import process from "node:process";
import { after, test } from "node:test";
import type { CountsView } from "../../../../interface/overview.ts";

// A zone with summer time, and one that is a quarter of an hour off.
const { TZ } = process.env;
process.env["TZ"] = "Europe/Berlin";
after(() => {
  if (TZ === undefined) delete process.env["TZ"];
  else process.env["TZ"] = TZ;
});
const { barsOf } = await import("./buckets.ts");

const none = { accepted: 0, sent: 0, failed: 0, deferred: 0, unknown: 0 };
const sentAt = (at: string, sent: number): CountsView => ({ at, ...none, sent });
const sums = (bars: { sent: number }[]) => bars.map(({ sent }) => sent);

test("barsOf() returns the last 24 hours by the local clock, including empty ones", () => {
  const now = new Date("2026-03-10T12:34:00Z");
  const bars = barsOf(
    [sentAt("2026-03-10T12:30:00Z", 1), sentAt("2026-03-10T11:55:00Z", 2)],
    "24h",
    now,
  );
  assert.equal(bars.length, 24);
  assert.deepEqual(sums(bars).slice(-3), [0, 2, 1]);
});

test("barsOf() begins days at the local midnight, also when summer time begins", () => {
  const now = new Date("2026-03-30T10:00:00Z");
  const counts = [
    // 23:30 on the 28th, and 00:30 on the 29th, on which 2 o'clock is missing.
    sentAt("2026-03-28T22:30:00Z", 1),
    sentAt("2026-03-28T23:30:00Z", 2),
    // 23:30 on the 29th, and 00:30 on the 30th, in summer time.
    sentAt("2026-03-29T21:30:00Z", 4),
    sentAt("2026-03-29T22:30:00Z", 8),
  ];
  const bars = barsOf(counts, "30d", now);
  assert.equal(bars.length, 30);
  assert.deepEqual(sums(bars).slice(-3), [1, 6, 8]);
});

test("barsOf() leaves out counts older than its first bar", () => {
  const now = new Date("2026-03-10T12:34:00Z");
  const bars = barsOf([sentAt("2026-03-09T12:30:00Z", 1)], "24h", now);
  assert.deepEqual(new Set(sums(bars)), new Set([0]));
});
