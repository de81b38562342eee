import assert from "node:assert/strict";
import { test } from "node:test";
import { LIVE_STATES, lookOfMessage } from "./message_look.ts";

test("lookOfMessage() shows a message that waits for its integration as waiting, in any state", () => {
  for (const state of ["queued", "deferred"] as const) {
    assert.equal(lookOfMessage(state, true).label, "Waiting");
    assert.notEqual(lookOfMessage(state).label, "Waiting");
  }
});

test("lookOfMessage() has a word and a sign of its own for each state", () => {
  const looks = LIVE_STATES.map((state) => lookOfMessage(state));
  assert.equal(new Set(looks.map(({ label }) => label)).size, LIVE_STATES.length);
  assert.equal(new Set(looks.map(({ icon }) => icon)).size, LIVE_STATES.length);
});
