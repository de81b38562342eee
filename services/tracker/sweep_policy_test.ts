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
  const at = { nextAt: null, parkedFor: null, enteredAt: ago(HOUR) };
  return { index: 0, outcome: undefined, register: undefined, ...at, ...changes };
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
const DISPATCH = { do: "dispatch", n: 1 };
const WAIT = { do: "look", at: new Date(NOW.getTime() + GRACE_MS) };
const DEFERRED = { outcome: { attempt: 2, state: "deferred" as const } };

test("decideSweep() dispatches a message that no stream holds", () => {
  for (const streams of [EMPTY, holding({}), holding({ FACTS: ago(2 * HOUR) })]) {
    assert.deepEqual(decide(messageIn({}), streams), DISPATCH);
  }
});

test("decideSweep() leaves a message alone while a stream holds something as old", () => {
  for (const name of ["RENDER", "PRINT", "MAIL"]) {
    assert.deepEqual(decide(messageIn({}), holding({ [name]: ago(2 * HOUR) })), WAIT, name);
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
    do: "look",
    at: new Date(NOW.getTime() + 1),
  });
  assert.deepEqual(decide(messageIn({ enteredAt: ago(GRACE_MS) }), EMPTY), DISPATCH);
});

test("decideSweep() leaves a message that has a time to who looks for what is due", () => {
  for (const nextAt of [ago(HOUR), NOW, new Date(NOW.getTime() + HOUR)]) {
    for (const outcome of [DEFERRED, {}]) {
      assert.deepEqual(decide(messageIn({ ...outcome, nextAt }), EMPTY), {
        do: "look",
        at: new Date(Math.max(nextAt.getTime(), NOW.getTime()) + 2 * GRACE_MS),
      });
    }
  }
});

test("decideSweep() waits for who may have sent the dot, and calls it unknown when the time is over", () => {
  const register = { by: "a worker", dot: true as const };
  const held = (isOver: boolean) => decide(messageIn({ register: { register, isOver } }), EMPTY);
  assert.deepEqual(held(false), { do: "look", at: new Date(NOW.getTime() + 60_000) });
  assert.deepEqual(held(true), { do: "unknown", n: 1 });
});

test("decideSweep() writes what a register says whose owner has not", () => {
  const outcome = { state: "canceled" as const, at: NOW, lines: [] };
  const register = { register: { by: "a person", void: outcome }, isOver: false };
  assert.deepEqual(decide(messageIn({ register }), EMPTY), { do: "complete", n: 1, outcome });
});

test("decideSweep() leaves a message whose outcome is unknown to a person", () => {
  const outcome = { attempt: 1, state: "unknown" as const };
  assert.deepEqual(decide(messageIn({ outcome }), EMPTY), {
    do: "look",
    at: new Date(NOW.getTime() + 24 * HOUR),
  });
});

test("patienceMs() waits longer for a repeated dispatch than a message may take to move on", () => {
  assert.equal(patienceMs(GRACE_MS), 60_000);
});
