import assert from "node:assert/strict";
import { test } from "node:test";
import { afterUnknown } from "./unknown_outcome.ts";

const acceptedAt = new Date("2026-01-01T00:00:00Z");
const unknown = {
  ...{ attempt: 1, acceptedAt, now: new Date("2026-01-01T00:10:00Z"), random: () => 0.5 },
  ...{ retryForMs: 3_600_000, whenUnknown: "retry" as const },
};

test("afterUnknown() holds the message if its integration's policy is `hold`", () => {
  assert.deepEqual(afterUnknown({ ...unknown, whenUnknown: "hold" }), { state: "unknown" });
});

test("afterUnknown() tries again, but not while the server may be busy with it", () => {
  const nextAt = new Date("2026-01-01T00:11:00Z");
  assert.deepEqual(afterUnknown(unknown), { state: "deferred", nextAt });
  const later = new Date("2026-01-01T00:20:00Z");
  assert.deepEqual(afterUnknown({ ...unknown, busyMs: 600_000 }), {
    state: "deferred",
    nextAt: later,
  });
});

test("afterUnknown() fails once the time for retries is over", () => {
  const now = new Date("2026-01-01T01:00:00Z");
  assert.deepEqual(afterUnknown({ ...unknown, now }), { state: "failed" });
});
