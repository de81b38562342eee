import assert from "node:assert/strict";
import { test } from "node:test";
import type { Integration } from "@posthaste/contracts";
import { capacityFor, type CapacityView } from "./capacity.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const healthy = { suspended: null, maxPerMinute: null } as Integration;

function capacity(changes: Partial<CapacityView>): number {
  const view = { integration: healthy, circuit: undefined, inFlight: 0, now: NOW };
  return capacityFor({ ...view, window: 20, triedMsAgo: Infinity, ...changes });
}

function circuitUntil(openUntil: Date | null) {
  return { _id: "acc_1/1", failures: 5, openUntil, reason: "gone" };
}

test("capacityFor() fills the window of a healthy integration", () => {
  assert.equal(capacity({}), 20);
  assert.equal(capacity({ inFlight: 15 }), 5);
  assert.equal(capacity({ inFlight: 25 }), 0);
  assert.equal(capacity({ circuit: circuitUntil(null) }), 20);
});

test("capacityFor() returns 0 for a suspended integration or an open circuit", () => {
  const suspended = { at: NOW, reason: "no login" };
  assert.equal(capacity({ integration: { ...healthy, suspended } }), 0);
  assert.equal(capacity({ circuit: circuitUntil(new Date(NOW.getTime() + 1)) }), 0);
});

test("capacityFor() returns one probe after a pause", () => {
  assert.equal(capacity({ circuit: circuitUntil(NOW) }), 1);
  assert.equal(capacity({ circuit: circuitUntil(NOW), inFlight: 1 }), 0);
});

test("capacityFor() dispatches messages of a missing integration, so that they can fail", () => {
  assert.ok(capacity({ integration: null }) >= 1000);
});

test("capacityFor() has capacity for two seconds' worth of a rate a minute", () => {
  const limited = (maxPerMinute: number) => capacity({ integration: { ...healthy, maxPerMinute } });
  assert.deepEqual([1, 60, 300, 6000].map(limited), [1, 2, 10, 20]);
});

test("capacityFor() dispatches the next message of a low rate five seconds before its time", () => {
  const after = (maxPerMinute: number, triedMsAgo: number) =>
    capacity({ integration: { ...healthy, maxPerMinute }, triedMsAgo });
  assert.deepEqual([54_999, 55_000].map((ms) => after(1, ms)), [0, 1]);
  assert.deepEqual([6999, 7000].map((ms) => after(5, ms)), [0, 1]);
  assert.deepEqual([after(12, 0), after(60, 0)], [1, 2]);
});
