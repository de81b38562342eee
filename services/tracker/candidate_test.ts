import assert from "node:assert/strict";
import { test } from "node:test";
import { candidateOf, type FoundIntegration } from "./candidate.ts";

const NOW = new Date("2030-01-01T12:00:00Z");

function candidate(
  changes: Partial<FoundIntegration["integration"]> & { openUntil?: number } = {},
) {
  const { openUntil, ...rest } = changes;
  const circuit = openUntil === undefined ? undefined : {
    ...{ _id: "a/1", failures: 5, reason: "down" },
    openUntil: new Date(NOW.getTime() + openUntil),
  };
  const integration = {
    ...{ id: 1, suspended: null, archivedAt: null, senders: ["shop@Example.com"] },
    ...rest,
  };
  return candidateOf({ integration, circuit }, NOW);
}

test("candidateOf() is healthy unless it is stopped, or its circuit is open or waits for a probe", () => {
  assert.equal(candidate().isHealthy, true);
  for (const kind of ["refused", "person"] as const) {
    const suspended = { at: NOW, reason: "because", kind };
    assert.equal(candidate({ suspended }).isHealthy, false);
  }
  for (const openUntil of [1000, -1000]) assert.equal(candidate({ openUntil }).isHealthy, false);
});

test("candidateOf() may send as its own senders, and not if it is archived", () => {
  const { maySendAs } = candidate();
  const asked = [
    "shop@example.com",
    "Shop@EXAMPLE.com",
    "other@example.com",
    "shop@sub.example.com",
  ];
  assert.deepEqual(asked.map(maySendAs), [true, true, false, false]);
  assert.equal(candidate({ archivedAt: NOW }).maySendAs("shop@example.com"), false);
});
