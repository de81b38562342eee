import { newSendId } from "@posthaste/contracts";
import type { AttemptOutcome } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { statusEventsOf } from "./status_events_of.ts";

const at = new Date("2026-03-01T12:00:00Z");
const HEAD = { _id: newSendId("acc_1"), accountId: "acc_1", integrationId: 4 };

/** Returns the status event of an outcome of attempt 2. */
function reported(state: AttemptOutcome["state"], attempt = 2) {
  const outcome = { state, at, reason: "so it is", lines: [{ at, type: state, attempt }] };
  return statusEventsOf(HEAD, { index: 0, n: 2, outcome: outcome as AttemptOutcome });
}

test("statusEventsOf() reports each outcome under its name, except a cancellation", () => {
  for (const state of ["sent", "deferred", "unknown", "suppressed", "failed"] as const) {
    assert.partialDeepStrictEqual(reported(state), [{
      ...{ type: `status.message.${state}`, data: { attempt: 2, integrationId: 4 } },
    }]);
  }
  assert.deepEqual(reported("canceled"), []);
});

test("statusEventsOf() reports a failure outside of an attempt as its process would have", () => {
  const [statusEvent] = reported("failed", 1);
  assert.ok(statusEvent?.type === "status.message.failed");
  const { attempt, stage, integrationId } = statusEvent.data;
  assert.deepEqual([attempt, stage, integrationId], [1, "pipeline", undefined]);
});

test("statusEventsOf() names the integration that made the attempt", () => {
  const lines = [{ at, type: "failed" as const, attempt: 1, integrationId: 7 }];
  const outcome = { ...{ state: "failed" as const, at, reason: "no" }, lines };
  const integrationOf = (fallback?: number) =>
    statusEventsOf(HEAD, { index: 0, n: 1, outcome, fallback })[0]?.data.integrationId;
  assert.deepEqual([integrationOf(), integrationOf(9)], [7, 9]);
});

test("statusEventsOf() reports a mail that an earlier attempt sent after all under the number of that one", () => {
  assert.equal(reported("sent", 1)[0]?.data.attempt, 1);
});

test("statusEventsOf() passes on the server's reply and the next time", () => {
  const reply = { code: 450, enhanced: "4.2.0" };
  const outcome = {
    ...{ state: "deferred" as const, at, reason: "busy", reply },
    nextAt: at,
    lines: [],
  };
  const [statusEvent] = statusEventsOf(HEAD, { index: 0, n: 1, outcome });
  assert.partialDeepStrictEqual(statusEvent?.data, { reply, nextAt: at.toISOString() });
});
