import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candidate, chooseIntegration, type EarlierAttempts } from "./choose_integration.ts";

const healthy = (id: number): Candidate => ({ id, isHealthy: true });
const stopped = (id: number): Candidate => ({ id, isHealthy: false });
type Case = [
  name: string,
  chosen: number,
  own: Candidate & { isPaused?: boolean },
  fallbacks: Candidate[],
  message?: Partial<EarlierAttempts>,
];

const CASES: Case[] = [
  ["takes the send's own while it is healthy", 1, healthy(1), [healthy(2)]],
  ["passes over one that is not healthy", 2, stopped(1), [healthy(2)]],
  ["passes over one that was not reached", 2, healthy(1), [healthy(2)], { unreached: 1 }],
  ["respects a person's pause", 1, { ...stopped(1), isPaused: true }, [healthy(2)], {
    unreached: 1,
  }],
  ["stays after an unknown outcome", 1, stopped(1), [healthy(2)], {
    ...{ unknownAttempts: [1], unreached: 1 },
  }],
  ["stays without fallbacks", 1, stopped(1), [], { unreached: 1 }],
  ["takes the first in order that is healthy", 5, stopped(1), [
    ...[stopped(2), stopped(3), healthy(5), healthy(6)],
  ]],
  ["waits if no fallback is healthy", 1, stopped(1), [stopped(2)]],
  ["passes over itself", 1, healthy(1), [healthy(1)], { unreached: 1 }],
  ["goes back after the fallback was not reached", 1, healthy(1), [healthy(2)], { unreached: 2 }],
  ["asks the next one after a fallback was not reached", 3, stopped(1), [healthy(2), healthy(3)], {
    unreached: 2,
  }],
  ["asks the only one that works again", 2, stopped(1), [healthy(2), stopped(3)], { unreached: 2 }],
];

for (const [name, chosen, own, fallbacks, message] of CASES) {
  test(`chooseIntegration() ${name}`, () => {
    const choice = { own: { isPaused: false, ...own }, fallbacks };
    assert.equal(chooseIntegration({ unknownAttempts: [], ...message }, choice), chosen);
  });
}
