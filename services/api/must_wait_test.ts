import assert from "node:assert/strict";
import { test } from "node:test";
import { mustWait } from "./must_wait.ts";

const INTEGRATION = { _id: "acc_1/1", suspended: null, maxPerMinute: null };

test("mustWait() lets small sends go straight while their integration works and has no rate limit", () => {
  const open = { has: () => false };
  assert.equal(mustWait(INTEGRATION, "transactional", open), false);
  assert.equal(mustWait(INTEGRATION, "bulk", open), true);
  assert.equal(mustWait({ ...INTEGRATION, maxPerMinute: 60 }, "transactional", open), true);
  assert.equal(mustWait(INTEGRATION, "transactional", { has: () => true }), true);
});
