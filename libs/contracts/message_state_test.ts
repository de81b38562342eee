import assert from "node:assert/strict";
import { test } from "node:test";
import { isMessageState, isTerminal, MESSAGE_STATES, TIMELINE_TYPES } from "./message_state.ts";

test("isTerminal() holds for the four final states", () => {
  assert.deepEqual(MESSAGE_STATES.filter(isTerminal), [
    "sent",
    "failed",
    "canceled",
    "suppressed",
  ]);
});

test("isMessageState() holds for all kinds of lines in a timeline but those of stages", () => {
  const others = TIMELINE_TYPES.filter((type) => !isMessageState(type));
  assert.deepEqual(others, ["rendered", "printed"]);
});
