import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRate } from "./format_rate.ts";

test("formatRate() returns 100% only if all succeeded", () => {
  assert.equal(formatRate({ sent: 10, attempts: 10 }), "100%");
  assert.equal(formatRate({ sent: 9999, attempts: 10_000 }), "99.9%");
  assert.equal(formatRate({ sent: 0, attempts: 7 }), "0%");
});
