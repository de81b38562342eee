import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candidate, chooseIntegration, type Due } from "./choose_integration.ts";

const NOW = new Date("2030-01-01T12:00:00Z");
const OPEN = { openUntil: new Date(NOW.getTime() + 1000) };
const HALF_OPEN = { openUntil: new Date(NOW.getTime() - 1000) };
const SUSPENDED = { suspended: { at: NOW, reason: "login refused", kind: "refused" as const } };
const PAUSED = { suspended: { at: NOW, reason: "holiday", kind: "person" as const } };

function candidate(
  id: number,
  changes: Partial<Candidate["integration"]> & { openUntil?: Date } = {},
): Candidate {
  const { openUntil, ...rest } = changes;
  return {
    integration: {
      ...{ id, suspended: null, archivedAt: null, senders: ["shop@Example.com"] },
      ...rest,
    },
    circuit: openUntil && { _id: `a/${id}`, failures: 5, openUntil, reason: "down" },
  };
}

const DUE: Due = { from: "shop@example.com", unknownAttempts: [] };
type Case = [
  name: string,
  chosen: number,
  own: Candidate,
  fallbacks: Candidate[],
  message?: Partial<Due>,
];

const CASES: Case[] = [
  ["takes the send's own while it is healthy", 1, candidate(1), [candidate(2)]],
  ["passes over one that is suspended", 2, candidate(1, SUSPENDED), [candidate(2)]],
  ["passes over one whose circuit is open", 2, candidate(1, OPEN), [candidate(2)]],
  ["passes over one that waits for a probe", 2, candidate(1, HALF_OPEN), [candidate(2)]],
  ["passes over one that was not reached", 2, candidate(1), [candidate(2)], { unreached: 1 }],
  ["respects a person's pause", 1, candidate(1, PAUSED), [candidate(2)], { unreached: 1 }],
  [
    "stays after an unknown outcome",
    1,
    candidate(1, SUSPENDED),
    [candidate(2)],
    { unknownAttempts: [1], unreached: 1 },
  ],
  ["stays without fallbacks", 1, candidate(1, SUSPENDED), [], { unreached: 1 }],
  [
    "takes the first in order that is healthy",
    5,
    candidate(1, OPEN),
    [
      ...[candidate(2, SUSPENDED), candidate(3, PAUSED), candidate(4, HALF_OPEN)],
      ...[candidate(5), candidate(6)],
    ],
  ],
  [
    "passes over one that may not send as the sender",
    3,
    candidate(1, OPEN),
    [candidate(2, { senders: ["other@example.com"] }), candidate(3)],
  ],
  [
    "waits if none may send as the sender",
    1,
    candidate(1, OPEN),
    [candidate(2, { senders: ["other@example.com", "shop@sub.example.com"] })],
  ],
  ["passes over one that is archived", 1, candidate(1, OPEN), [candidate(2, { archivedAt: NOW })]],
  ["passes over itself", 1, candidate(1), [candidate(1)], { unreached: 1 }],
  ["goes back after the fallback was not reached", 1, candidate(1), [candidate(2)], {
    unreached: 2,
  }],
  ["asks the next one after a fallback was not reached", 3, candidate(1, OPEN), [
    ...[candidate(2), candidate(3)],
  ], { unreached: 2 }],
];

for (const [name, chosen, own, fallbacks, message] of CASES) {
  test(`chooseIntegration() ${name}`, () => {
    assert.equal(chooseIntegration({ ...DUE, ...message }, { own, fallbacks, now: NOW }), chosen);
  });
}
