import { messageIdOf, type Send } from "@posthaste/contracts";
import { testSend, voidAttempt } from "@posthaste/kit";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { advance, beginVoid } from "@posthaste/delivery";
import { identityOf } from "./message_identity.ts";
import type { AttemptOutcome } from "./stored_register.ts";
import { openTestStore, postponementOf, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

const NOON = Date.parse("2026-03-01T12:00:00Z");
const at = (minutes: number) => new Date(NOON + minutes * 60_000);

async function accept(accountId: string, minutes: number, messageCount: number): Promise<Send> {
  const send = testSend({ accountId, acceptedAt: at(minutes), messageCount, integrationId: 4 });
  await opened.store.sends.accept(send);
  return send;
}

async function end(send: Send, index: number, [state, minutes, attempt = 1]: Outcome) {
  const messageId = messageIdOf(send._id, index);
  const outcome = { messageId, attempt, at: at(minutes), durationMs: 5, reason: "x" };
  const nextAt = state === "deferred" ? { nextAt: at(minutes + 1) } : {};
  assert.ok(await voidAttempt(opened.store, state, { ...outcome, ...nextAt }));
}

type Outcome = [state: "sent" | "failed" | "deferred", minutes: number, attempt?: number];

async function bucketsOf(accountId: string) {
  const all = await opened.store.statistics.list(accountId, { from: at(-60), until: at(60) });
  return all.map(({ at, accepted, sent, failed, deferred, unknown, integrations }) => [
    at.toISOString().slice(11, 16),
    [accepted, sent, failed, deferred, unknown].join(" "),
    integrations?.[4],
  ]);
}

test("recountStatistics() counts from messages what was reported twice, late, or never", async () => {
  const { store } = opened;
  const send = await accept("acc_1", 1, 5);
  const old = await accept("acc_1", -30, 1);
  await end(send, 0, ["sent", 2]);
  await end(send, 1, ["deferred", 2]);
  await end(send, 1, ["sent", 3, 2]);
  await end(send, 2, ["failed", 4]);
  await end(send, 3, ["sent", 6]);
  await end(old, 0, ["sent", 1]);
  // It waits, and no attempt was made.
  const times = { now: at(2), nextAt: at(9) };
  await store.waiting.postponeMessage(
    postponementOf(send, { index: 4, ...times, reason: "its images" }),
  );
  const note = {
    ...{ accountId: "acc_1", at: at(0), accepted: 5, sent: 2, integrations: { 4: { sent: 2 } } },
    sends: [send._id, old._id],
  };
  await store.statistics.note([note]);
  assert.deepEqual(await bucketsOf("acc_1"), [["12:00", "5 2 0 0 0", { sent: 2 }]]);
  await store.statistics.note([note]);
  assert.deepEqual(await bucketsOf("acc_1"), [["12:00", "10 4 0 0 0", { sent: 4 }]]);
  assert.equal(await store.statistics.recount({ now: at(5), limit: 9 }), 0, "it has just ended");
  assert.equal(await store.statistics.recount({ now: at(6), limit: 9 }), 1);
  const counted = [["12:00", "5 3 1 1 0", { sent: 3, deferred: 1, failed: 1 }]];
  assert.deepEqual((await bucketsOf("acc_1")).slice(0, 1), counted);
  assert.equal(await store.statistics.recount({ now: at(6), limit: 9 }), 0);
  // Reported again after that: it is counted again, with the same result.
  await store.statistics.note([note]);
  assert.deepEqual((await bucketsOf("acc_1")).slice(0, 1), counted);
  assert.equal(await store.statistics.recount({ now: at(7), limit: 9 }), 1);
  assert.deepEqual((await bucketsOf("acc_1")).slice(0, 1), counted);
});

test("recountStatistics() counts other accounts of the same time that reported nothing", async () => {
  const { store } = opened;
  const send = await accept("acc_2", 20, 1);
  await end(send, 0, ["sent", 21]);
  await store.statistics.note([{ accountId: "acc_3", at: at(20), sent: 7 }]);
  await store.statistics.recount({ now: at(40), limit: 9 });
  assert.deepEqual(await bucketsOf("acc_2"), [["12:20", "1 1 0 0 0", { sent: 1 }]]);
  assert.deepEqual(await bucketsOf("acc_3"), [["12:20", "0 0 0 0 0", undefined]]);
});

test("recountStatistics() keeps the notes of messages that are no longer known", async () => {
  const { store } = opened;
  await store.statistics.note([{ accountId: "acc_4", at: at(0), sent: 7 }]);
  await store.statistics.recount({ now: at(3 * 24 * 60), limit: 9 });
  assert.deepEqual(await bucketsOf("acc_4"), [["12:00", "0 7 0 0 0", undefined]]);
});

test("recountStatistics() counts an attempt for the integration that made it", async () => {
  const { store } = opened;
  const send = await accept("acc_failover", 50, 1);
  const message = identityOf(send, 0);
  assert.ok(message);
  const line = { type: "sent" as const, attempt: 1, durationMs: 5, integrationId: 5 };
  const outcome: AttemptOutcome = { state: "sent", at: at(51), lines: [{ at: at(51), ...line }] };
  await advance(beginVoid({ n: 1, by: "a", outcome }), store.registers.ledgerOf(message));
  const noted = { accountId: "acc_failover", at: at(50), accepted: 1, sent: 1, integrations: {} };
  await store.statistics.note([{ ...noted, sends: [send._id] }]);
  await store.statistics.recount({ now: at(58), limit: 9 });
  const [bucket] = await store.statistics.list("acc_failover", { from: at(45), until: at(60) });
  assert.deepEqual(bucket?.integrations, { 5: { sent: 1 } });
});
