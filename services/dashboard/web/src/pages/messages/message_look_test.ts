import assert from "node:assert/strict";
import { test } from "node:test";
import { LIVE_STATES, lookOfMessage } from "./message_look.ts";

test("lookOfMessage() has the word of the state for a message that waits, with another sign", () => {
  for (const state of ["queued", "deferred"] as const) {
    const [waits, other] = [lookOfMessage(state, true), lookOfMessage(state)];
    assert.equal(waits.label, other.label);
    assert.notEqual(waits.icon, other.icon);
  }
});

test("lookOfMessage() has a word and a sign of its own for each state", () => {
  const looks = LIVE_STATES.map((state) => lookOfMessage(state));
  assert.equal(new Set(looks.map(({ label }) => label)).size, LIVE_STATES.length);
  assert.equal(new Set(looks.map(({ icon }) => icon)).size, LIVE_STATES.length);
});
