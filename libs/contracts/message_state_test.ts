import assert from "node:assert/strict";
import { test } from "node:test";
import { isTerminal, MESSAGE_STATES } from "./message_state.ts";

test("isTerminal() holds for the four final states", () => {
  assert.deepEqual(MESSAGE_STATES.filter(isTerminal), [
    "sent",
    "failed",
    "canceled",
    "suppressed",
  ]);
});
