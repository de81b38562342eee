import assert from "node:assert/strict";
import { test } from "node:test";
import { readSendAt } from "./send_at.ts";

const DAY_MS = 24 * 3_600_000;
const now = new Date("2026-01-10T12:00:00Z");
const read = (text: string) => readSendAt(text, { now, maxScheduleMs: 90 * DAY_MS });

test("readSendAt() reads a time ahead in whatever offset it is written", () => {
  const at = new Date("2026-01-10T13:00:00Z");
  assert.deepEqual(read("2026-01-10T13:00:00Z"), { at });
  assert.deepEqual(read("2026-01-10T15:00:00+02:00"), { at });
});

test("readSendAt() takes a time of the last 24 hours for now, and refuses older ones", () => {
  for (const text of ["2026-01-10T12:00:00Z", "2026-01-10T11:59:59Z", "2026-01-09T12:00:00Z"]) {
    assert.deepEqual(read(text), { at: null }, text);
  }
  assert.ok("fault" in read("2026-01-09T11:59:59Z"));
});

test("readSendAt() refuses what is more than the longest schedule ahead", () => {
  assert.ok("at" in read("2026-04-10T12:00:00Z"));
  const refused = read("2026-04-10T12:00:01Z");
  assert.ok("fault" in refused);
  assert.equal(refused.fault.message, "must not be more than 90 days ahead");
});
