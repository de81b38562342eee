import assert from "node:assert/strict";
import { test } from "node:test";
import type { Integration } from "@posthaste/contracts";
import { roomFor, type RoomView } from "./room.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const healthy = { suspended: null, maxPerMinute: null } as Integration;

function room(changes: Partial<RoomView>): number {
  const view = { integration: healthy, trouble: undefined, inFlight: 0, now: NOW };
  return roomFor({ ...view, window: 20, ...changes });
}

function troubleUntil(openUntil: Date | null) {
  return { _id: "acc_1/1", failures: 5, openUntil, reason: "gone" };
}

test("roomFor() fills the window of a healthy integration", () => {
  assert.equal(room({}), 20);
  assert.equal(room({ inFlight: 15 }), 5);
  assert.equal(room({ inFlight: 25 }), 0);
  assert.equal(room({ trouble: troubleUntil(null) }), 20);
});

test("roomFor() lets nothing go to a suspended integration or a server that is left alone", () => {
  const suspended = { at: NOW, reason: "no login" };
  assert.equal(room({ integration: { ...healthy, suspended } }), 0);
  assert.equal(room({ trouble: troubleUntil(new Date(NOW.getTime() + 1)) }), 0);
});

test("roomFor() lets one probe go after a pause", () => {
  assert.equal(room({ trouble: troubleUntil(NOW) }), 1);
  assert.equal(room({ trouble: troubleUntil(NOW), inFlight: 1 }), 0);
});

test("roomFor() lets all go whose integration is gone, so that they can fail", () => {
  assert.ok(room({ integration: null }) >= 1000);
});

test("roomFor() has room for two seconds' worth of a rate a minute", () => {
  const limited = (maxPerMinute: number) => room({ integration: { ...healthy, maxPerMinute } });
  assert.deepEqual([1, 60, 300, 6000].map(limited), [1, 2, 10, 20]);
});
