import type { UnfinishedMessage } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openFlow } from "./flow.ts";
import { decideReconciliation, idlePauseMs, lookAgainMs, patienceMs } from "./reconcile_policy.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const HOUR = 3_600_000;
const GRACE_MS = 20_000;

function ago(ms: number): Date {
  return new Date(NOW.getTime() - ms);
}

function messageIn(changes: Partial<UnfinishedMessage>): UnfinishedMessage {
  const at = { nextAt: null, waitsFor: null, enteredAt: ago(HOUR) };
  return { index: 0, outcome: undefined, register: undefined, ...at, ...changes };
}

function decide(message: UnfinishedMessage, { isKnown = false } = {}) {
  return decideReconciliation(message, { isKnown: () => isKnown, now: NOW, graceMs: GRACE_MS });
}

const DISPATCH = { do: "dispatch", n: 1 };
const DEFERRED = { outcome: { attempt: 2, state: "deferred" as const } };

test("decideReconciliation() redispatches a message without news, regardless of the queues", () => {
  assert.deepEqual(decide(messageIn({})), DISPATCH);
});

test("decideReconciliation() leaves a message alone that was dispatched a moment ago", () => {
  const look = { do: "look", at: new Date(NOW.getTime() + GRACE_MS) };
  assert.deepEqual(decide(messageIn({}), { isKnown: true }), look);
});

test("decideReconciliation() finds a lost dispatch three to four times the grace later", () => {
  // The send is examined after the patience at the latest, and sooner for another part of it.
  for (let firstLook = 0; firstLook <= patienceMs(GRACE_MS); firstLook += 500) {
    let nowMs = 0;
    const { begin, knows } = openFlow({
      patienceMs: patienceMs(GRACE_MS),
      clock: { now: () => nowMs },
    });
    const attempt = { messageId: "msg_1", attempt: 0 };
    begin("acc/1", attempt);
    nowMs = firstLook;
    for (;;) {
      const decision = decide(messageIn({}), { isKnown: knows(attempt) });
      if (decision.do !== "look") break;
      nowMs += decision.at.getTime() - NOW.getTime();
    }
    assert.ok(nowMs >= 3 * GRACE_MS && nowMs <= 4 * GRACE_MS, `${nowMs} ms`);
  }
});

test("decideReconciliation() waits for a message to move on, and examines it afterwards", () => {
  const young = messageIn({ enteredAt: ago(GRACE_MS - 1) });
  assert.deepEqual(decide(young), { do: "look", at: new Date(NOW.getTime() + 1) });
  assert.deepEqual(decide(messageIn({ enteredAt: ago(GRACE_MS) })), DISPATCH);
});

test("decideReconciliation() leaves a message with a time to the search for due messages", () => {
  for (const nextAt of [ago(HOUR), NOW, new Date(NOW.getTime() + HOUR)]) {
    for (const outcome of [DEFERRED, {}]) {
      assert.deepEqual(decide(messageIn({ ...outcome, nextAt })), {
        do: "look",
        at: new Date(Math.max(nextAt.getTime(), NOW.getTime()) + 3 * GRACE_MS),
      });
    }
  }
});

test("decideReconciliation() waits for a worker that may have sent the dot, and then decides unknown", () => {
  const register = { by: "a worker", dot: true as const };
  const held = (isOver: boolean) => decide(messageIn({ register: { register, isOver } }));
  assert.deepEqual(held(false), { do: "look", at: new Date(NOW.getTime() + 3 * GRACE_MS) });
  assert.deepEqual(held(true), { do: "unknown", n: 1 });
});

test("decideReconciliation() writes the outcome of a register whose owner has not written it", () => {
  const outcome = { state: "canceled" as const, at: NOW, lines: [] };
  const register = { register: { by: "a person", void: outcome }, isOver: false };
  assert.deepEqual(decide(messageIn({ register })), { do: "complete", n: 1, outcome });
});

test("decideReconciliation() leaves a message whose outcome is unknown to a person", () => {
  const outcome = { attempt: 1, state: "unknown" as const };
  assert.deepEqual(decide(messageIn({ outcome })), {
    do: "look",
    at: new Date(NOW.getTime() + HOUR),
  });
});

test("patienceMs() waits longer for a repeated dispatch than a message may take to move on", () => {
  assert.equal(patienceMs(GRACE_MS), 60_000);
});

test("lookAgainMs() examines an older send less often, but at least once an hour", () => {
  const minutes = (ageMs: number) => lookAgainMs(ageMs, GRACE_MS) / 60_000;
  // Powers of two of 20 s: at most half of the age, and at least half of that.
  assert.deepEqual([0, 30 * 60_000, 48 * HOUR].map(minutes), [2 / 3, 32 / 3, 128 / 3]);
});

test("idlePauseMs() ends when the next send is due, after one interval to five", () => {
  const now = new Date(1_000_000);
  const pause = (ms: number) =>
    idlePauseMs(new Date(now.getTime() + ms), { now, intervalMs: 1000 });
  assert.deepEqual([-5000, 0, 400, 3200, 20_000].map(pause), [1000, 1000, 1000, 3200, 5000]);
  assert.equal(idlePauseMs(undefined, { now, intervalMs: 1000 }), 5000);
});

test("lookAgainMs() leaves a scheduled send alone until its start is due", () => {
  const week = 7 * 24 * HOUR;
  assert.equal(lookAgainMs(-week, GRACE_MS), week + patienceMs(GRACE_MS));
});
