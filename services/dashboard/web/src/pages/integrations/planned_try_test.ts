import assert from "node:assert/strict";
import { test } from "node:test";
import { plannedTry } from "./planned_try.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const LATER = "2026-03-10T12:02:00.000Z";
const EARLIER = "2026-03-10T11:58:00.000Z";

test("plannedTry() returns the end of a pause, and after it the next message", () => {
  for (const state of ["unreachable", "failing"] as const) {
    assert.deepEqual(plannedTry({ state, openUntil: LATER }, NOW), new Date(LATER));
    assert.equal(plannedTry({ state, openUntil: EARLIER }, NOW), "next message");
    assert.equal(plannedTry({ state, openUntil: NOW.toISOString() }, NOW), "next message");
  }
});

test("plannedTry() returns null for an integration without a pause, and for one that is stopped", () => {
  assert.equal(plannedTry({ state: "slow", openUntil: null }, NOW), null);
  for (const state of ["suspended", "paused"] as const) {
    assert.equal(plannedTry({ state, openUntil: LATER }, NOW), null);
    assert.equal(plannedTry({ state, openUntil: EARLIER }, NOW), null);
  }
});
