import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptPolicy } from "./attempt_policy.ts";

test("attemptPolicy() is that of the send's integration, but a fallback's unknown outcome is held", () => {
  const own = { retryForMs: 1000, whenUnknown: "retry" as const };
  assert.deepEqual(attemptPolicy(own, { isFallback: false }), own);
  assert.deepEqual(attemptPolicy(own, { isFallback: true }), { ...own, whenUnknown: "hold" });
});

test("attemptPolicy() neither retries nor gives up what an integration that is gone left unknown", () => {
  const none = { retryForMs: 0, whenUnknown: "hold" };
  assert.deepEqual(attemptPolicy(null, { isFallback: false }), none);
});
