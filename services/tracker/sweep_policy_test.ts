import type { UnfinishedMessage } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { decideSweep, patienceMs, type StreamStates } from "./sweep_policy.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const HOUR = 3_600_000;
const GRACE_MS = 30_000;

function ago(ms: number): Date {
  return new Date(NOW.getTime() - ms);
}

function messageIn(changes: Partial<UnfinishedMessage>): UnfinishedMessage {
  const at = { leaseUntil: null, nextAt: null, parkedFor: null, enteredAt: ago(HOUR) };
  return { index: 0, state: "queued", attempt: 0, ...at, ...changes };
}

/** What the streams hold; the time of the oldest event in each. */
function holding(oldest: Record<string, Date>): StreamStates {
  return new Map(Object.entries(oldest).map(([name, at]) => [name, { messages: 1, oldestAt: at }]));
}

function decide(message: UnfinishedMessage, streams: StreamStates) {
  return decideSweep(message, { streams, now: NOW, graceMs: GRACE_MS });
}

const EMPTY: StreamStates = new Map(
  ["RENDER", "PRINT", "MAIL"].map((name) => [name, { messages: 0, oldestAt: null }]),
);
const DISPATCH = { dispatch: true };
const WAIT = { dispatch: false, lookAt: new Date(NOW.getTime() + GRACE_MS) };

test("decideSweep() dispatches a message that no stream holds", () => {
  for (const state of ["queued", "rendered", "printed"] as const) {
    for (const streams of [EMPTY, holding({}), holding({ FACTS: ago(2 * HOUR) })]) {
      assert.deepEqual(decide(messageIn({ state }), streams), DISPATCH, state);
    }
  }
});

test("decideSweep() leaves a message alone whose stream holds something as old", () => {
  const holders = {
    queued: ["RENDER"],
    rendered: ["PRINT", "MAIL"],
    printed: ["MAIL"],
  } as const;
  for (const [state, names] of Object.entries(holders)) {
    const message = messageIn({ state: state as keyof typeof holders });
    for (const name of ["RENDER", "PRINT", "MAIL"] as const) {
      const expected = (names as readonly string[]).includes(name) ? WAIT : DISPATCH;
      const decided = decide(message, holding({ [name]: ago(2 * HOUR) }));
      assert.deepEqual(decided, expected, `${state} ${name}`);
    }
  }
});

test("decideSweep() dispatches a message whose stream holds only what came later", () => {
  const message = messageIn({ enteredAt: ago(HOUR) });
  assert.deepEqual(decide(message, holding({ RENDER: ago(HOUR - 5001) })), DISPATCH);
  // The clocks may differ.
  assert.deepEqual(decide(message, holding({ RENDER: ago(HOUR - 5000) })), WAIT);
});

test("decideSweep() gives a message time to move on, and looks when that is over", () => {
  const young = messageIn({ enteredAt: ago(GRACE_MS - 1) });
  assert.deepEqual(decide(young, EMPTY), {
    dispatch: false,
    lookAt: new Date(NOW.getTime() + 1),
  });
  assert.deepEqual(decide(messageIn({ enteredAt: ago(GRACE_MS) }), EMPTY), DISPATCH);
});

test("decideSweep() dispatches a deferred message that the broker did not bring back in time", () => {
  const deferredUntil = (nextAt: Date | null) =>
    decide(messageIn({ state: "deferred", nextAt }), EMPTY);
  const later = new Date(NOW.getTime() + 1);
  assert.deepEqual(deferredUntil(ago(GRACE_MS)), DISPATCH);
  assert.deepEqual(deferredUntil(ago(HOUR)), DISPATCH);
  assert.deepEqual(deferredUntil(null), DISPATCH);
  assert.deepEqual(deferredUntil(ago(GRACE_MS - 1)), { dispatch: false, lookAt: later });
  assert.deepEqual(deferredUntil(NOW), WAIT);
});

test("decideSweep() leaves a deferred message alone that may wait in a queue since its time", () => {
  const message = messageIn({ state: "deferred", nextAt: ago(HOUR), enteredAt: ago(9 * HOUR) });
  for (const name of ["RENDER", "PRINT", "MAIL"]) {
    assert.deepEqual(decide(message, holding({ [name]: ago(2 * HOUR) })), WAIT, name);
  }
  // Other retries wait there, however late this one is.
  assert.deepEqual(decide(message, holding({ RETRY: ago(2 * HOUR) })), DISPATCH);
  assert.deepEqual(decide(message, holding({ MAIL: ago(HOUR / 2) })), DISPATCH);
});

test("decideSweep() leaves a parked message to the releaser", () => {
  const parked = messageIn({ state: "deferred", parkedFor: "acc_1/1", enteredAt: ago(9 * HOUR) });
  assert.deepEqual(decide(parked, EMPTY), {
    dispatch: false,
    lookAt: new Date(NOW.getTime() + HOUR),
  });
});

test("decideSweep() dispatches a message whose worker's lease is over", () => {
  const leasedUntil = (leaseUntil: Date | null) =>
    decide(messageIn({ state: "sending", leaseUntil }), EMPTY);
  const later = new Date(NOW.getTime() + 1);
  assert.deepEqual(leasedUntil(ago(1)), DISPATCH);
  assert.deepEqual(leasedUntil(null), DISPATCH);
  assert.deepEqual(leasedUntil(later), { dispatch: false, lookAt: later });
});

test("decideSweep() leaves a message whose outcome is unknown to a person", () => {
  assert.deepEqual(decide(messageIn({ state: "unknown" }), EMPTY), {
    dispatch: false,
    lookAt: new Date(NOW.getTime() + 24 * HOUR),
  });
});

test("patienceMs() waits longer for a repeated dispatch than a message may take to move on", () => {
  assert.equal(patienceMs(GRACE_MS), 60_000);
});
