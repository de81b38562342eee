import assert from "node:assert/strict";
import { test } from "node:test";
import { sayRate } from "./say_rate.ts";

test("sayRate() returns 100% only if all succeeded", () => {
  assert.equal(sayRate({ sent: 10, attempts: 10 }), "100%");
  assert.equal(sayRate({ sent: 9999, attempts: 10_000 }), "99.9%");
  assert.equal(sayRate({ sent: 0, attempts: 7 }), "0%");
});
