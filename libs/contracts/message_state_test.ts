import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CLAIMABLE_STATES,
  isTerminal,
  MESSAGE_STATES,
  PREPARING_STATES,
  statesBefore,
} from "./message_state.ts";

test("statesBefore() lets facts move a message forward only", () => {
  assert.deepEqual(statesBefore("queued"), []);
  assert.deepEqual(statesBefore("rendered"), ["queued"]);
  assert.deepEqual(statesBefore("printed"), ["queued", "rendered"]);
  for (const next of PREPARING_STATES) {
    for (const before of statesBefore(next)) {
      assert.ok(MESSAGE_STATES.indexOf(before) < MESSAGE_STATES.indexOf(next));
    }
  }
});

test("statesBefore() never gives a state in which a message is being sent, or after", () => {
  const before = new Set(PREPARING_STATES.flatMap(statesBefore));
  for (const state of ["deferred", "sending", "unknown", "sent", "failed", "canceled"] as const) {
    assert.ok(!before.has(state), state);
  }
});

test("isTerminal() holds for the three ends, and no claim is possible there", () => {
  assert.deepEqual(MESSAGE_STATES.filter(isTerminal), ["sent", "failed", "canceled"]);
  assert.deepEqual(CLAIMABLE_STATES.filter(isTerminal), []);
});

test("CLAIMABLE_STATES leaves out a message that is being sent or whose outcome is unknown", () => {
  const claimable: readonly string[] = CLAIMABLE_STATES;
  assert.ok(!claimable.includes("sending") && !claimable.includes("unknown"));
});
