import assert from "node:assert/strict";
import { test } from "node:test";
import type { Integration } from "@posthaste/contracts";
import { FIRST_WINDOW, nextWindow, type ReleaseView, roomFor } from "./release_policy.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const healthy = { suspended: null, maxPerMinute: null } as Integration;

function room(changes: Partial<ReleaseView>): number {
  const view = { integration: healthy, trouble: undefined, onTheirWay: 0, now: NOW };
  return roomFor({ ...view, window: { size: 20, released: 0 }, ...changes });
}

function troubleUntil(openUntil: Date | null) {
  return { _id: "acc_1/1", failures: 5, openUntil, reason: "gone" };
}

test("roomFor() fills the window of a healthy integration", () => {
  assert.equal(room({}), 20);
  assert.equal(room({ onTheirWay: 15 }), 5);
  assert.equal(room({ onTheirWay: 25 }), 0);
  assert.equal(room({ trouble: troubleUntil(null) }), 20);
});

test("roomFor() lets nothing go to a suspended integration or a server that is left alone", () => {
  const suspended = { at: NOW, reason: "no login" };
  assert.equal(room({ integration: { ...healthy, suspended } }), 0);
  assert.equal(room({ trouble: troubleUntil(new Date(NOW.getTime() + 1)) }), 0);
});

test("roomFor() lets one probe go after a pause", () => {
  assert.equal(room({ trouble: troubleUntil(NOW) }), 1);
  assert.equal(room({ trouble: troubleUntil(NOW), onTheirWay: 1 }), 0);
});

test("roomFor() lets all go whose integration is gone, so that they can fail", () => {
  assert.ok(room({ integration: null }) >= 1000);
});

test("nextWindow() doubles while all is done by the next look, and halves while most is not", () => {
  const after = (onTheirWay: number, returned = 0) => ({ onTheirWay, returned });
  let window = FIRST_WINDOW;
  for (let n = 0; n < 10; n++) window = { size: nextWindow(window, after(0)), released: 1 };
  assert.equal(window.size, 2000);
  assert.equal(nextWindow({ size: 20, released: 0 }, after(0)), 20);
  assert.equal(nextWindow({ size: 100, released: 50 }, after(50)), 100);
  assert.equal(nextWindow({ size: 100, released: 50 }, after(51)), 50);
  assert.equal(nextWindow({ size: 11, released: 5 }, after(11)), 10);
});

test("nextWindow() halves when what was let go came back", () => {
  assert.equal(nextWindow({ size: 100, released: 100 }, { onTheirWay: 0, returned: 1 }), 50);
});
