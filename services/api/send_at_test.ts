import assert from "node:assert/strict";
import { test } from "node:test";
import { readSendAt } from "./send_at.ts";

const DAY_MS = 24 * 3_600_000;
const now = new Date("2026-01-10T12:00:00Z");
const read = (text: string) => readSendAt(text, { now, maxScheduleMs: 90 * DAY_MS });

test("readSendAt() reads a future time in any offset", () => {
  const at = new Date("2026-01-10T13:00:00Z");
  assert.deepEqual(read("2026-01-10T13:00:00Z"), { at });
  assert.deepEqual(read("2026-01-10T15:00:00+02:00"), { at });
});

test("readSendAt() treats a time of the last 24 hours as now, and refuses older ones", () => {
  for (const text of ["2026-01-10T12:00:00Z", "2026-01-10T11:59:59Z", "2026-01-09T12:00:00Z"]) {
    assert.deepEqual(read(text), { at: null }, text);
  }
  assert.ok("fault" in read("2026-01-09T11:59:59Z"));
});

test("readSendAt() refuses a time beyond the longest schedule", () => {
  assert.ok("at" in read("2026-04-10T12:00:00Z"));
  const refused = read("2026-04-10T12:00:01Z");
  assert.ok("fault" in refused);
  assert.equal(refused.fault.message, "must not be more than 90 days ahead");
});
