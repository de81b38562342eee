import assert from "node:assert/strict";
import { test } from "node:test";
import { lookOfEvent, lookOfIntegration } from "./integration_look.ts";

const USED = { lastSent: { at: "2026-11-01T10:00:00.000Z", messageId: "msg_1" }, lastFailed: null };

test("lookOfEvent() shows an event that begins a state as that state", () => {
  for (const state of ["suspended", "paused", "unreachable"] as const) {
    assert.deepEqual(lookOfEvent(state), lookOfIntegration({ ...USED, state }));
  }
});

test("lookOfEvent() shows the end of a fault in the colour of an integration that is ready", () => {
  const { color } = lookOfIntegration({ ...USED, state: "ready" });
  for (const type of ["resumed", "reachable"] as const) {
    assert.equal(lookOfEvent(type).color, color);
  }
});

test("lookOfIntegration() shows an integration without any attempt as not used", () => {
  const unused = { state: "ready", lastSent: null, lastFailed: null } as const;
  assert.equal(lookOfIntegration(unused).label, "Not used yet");
  assert.equal(lookOfIntegration({ ...unused, state: "paused" }).label, "Paused");
  assert.equal(lookOfIntegration({ ...USED, state: "ready" }).label, "Ready");
});
