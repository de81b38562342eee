import assert from "node:assert/strict";
import { test } from "node:test";
import { type Circuit, circuitCapacity, circuitState, pauseMs } from "./circuit_breaker.ts";

test("pauseMs() pauses from the fifth failure on, and doubles each time", () => {
  const seconds = [1, 4, 5, 6, 7, 9, 10, 50].map((failures) => pauseMs(failures, 30_000) / 1000);
  assert.deepEqual(seconds, [0, 0, 30, 60, 120, 480, 600, 600]);
});

test("pauseMs() scales the longest pause with the first", () => {
  assert.deepEqual([4, 5, 6, 50].map((failures) => pauseMs(failures, 500)), [0, 500, 1000, 10_000]);
});

test("circuitState() is open for the pause, and half-open from then on", () => {
  const openUntil = new Date(30_000);
  const states = [0, 29_999, 30_000, 3_600_000].map((at) =>
    circuitState({ openUntil }, new Date(at))
  );
  assert.deepEqual(states, ["open", "open", "half_open", "half_open"]);
  assert.equal(circuitState(undefined, new Date(0)), "closed");
});

test("circuitState() is closed for a pause that was never noted, however many the failures", () => {
  for (const failures of [1, 5, 50]) {
    const circuit: Circuit = { failures, openUntil: null };
    assert.equal(circuitState(circuit, new Date(0)), "closed");
  }
});

test("circuitCapacity() allows a single probe, and nothing beside it", () => {
  const circuit = { openUntil: new Date(1000) };
  const capacity = (at: number, inFlight: number) =>
    circuitCapacity(circuit, { now: new Date(at), inFlight });
  assert.deepEqual([capacity(999, 0), capacity(1000, 0), capacity(1000, 1)], [0, 1, 0]);
  assert.equal(circuitCapacity(undefined, { now: new Date(0), inFlight: 1000 }), Infinity);
});

test("a circuit of a server that stays unavailable gets one probe at a time, ever more rarely", () => {
  let circuit: Circuit | undefined;
  const probes: number[] = [];
  for (let second = 0; second < 3600; second++) {
    const now = new Date(second * 1000);
    if (circuitCapacity(circuit, { now, inFlight: 0 }) === 0) continue;
    const failures: number = (circuit?.failures ?? 0) + 1;
    const pause = pauseMs(failures, 30_000);
    circuit = { failures, openUntil: pause === 0 ? null : new Date(now.getTime() + pause) };
    probes.push(second);
  }
  assert.deepEqual(probes, [0, 1, 2, 3, 4, 34, 94, 214, 454, 934, 1534, 2134, 2734, 3334]);
});
