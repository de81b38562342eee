import assert from "node:assert/strict";
import { test } from "node:test";
import type { Integration } from "@posthaste/contracts";
import { capacityFor, type CapacityView } from "./capacity.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const healthy = { suspended: null, maxPerMinute: null } as Integration;

function capacity(changes: Partial<CapacityView>): number {
  const view = { integration: healthy, circuit: undefined, inFlight: 0, now: NOW };
  return capacityFor({ ...view, window: 20, turns: Infinity, ...changes });
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

test("capacityFor() keeps to the rate beside the window", () => {
  assert.deepEqual([0, 0.9, 1, 7.5, Infinity].map((turns) => capacity({ turns })), [
    0,
    0,
    1,
    7,
    20,
  ]);
  // What is at a slow server uses no turn any more.
  assert.equal(capacity({ turns: 2, inFlight: 15 }), 2);
  assert.equal(capacity({ turns: 9, inFlight: 15 }), 5);
});

test("capacityFor() sends no probe without a turn, or into a closed window", () => {
  const circuit = circuitUntil(NOW);
  assert.equal(capacity({ circuit, turns: 0.9 }), 0);
  assert.equal(capacity({ circuit, window: 0 }), 0);
});
