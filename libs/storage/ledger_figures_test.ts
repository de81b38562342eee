import assert from "node:assert/strict";
import { test } from "node:test";
import { endAttempt, takeAttempt, testSend, voidAttempt } from "@posthaste/kit";
import { messageIdOf } from "@posthaste/contracts";
import { openTestStore } from "./_test_store.ts";

const now = new Date("2026-01-01T00:00:05Z");

test("ledgerState() counts what waits over all accounts, by indexes, and returns the disk's use", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const empty = await store.statistics.ledgerState(now);
  assert.deepEqual({ ...empty, disk: null }, {
    ...{ unsettled: 0, reconcilerLateMs: 0, waiting: 0, unknown: 0, unreachable: 0, failing: 0 },
    ...{ suspended: [], disk: null },
  });
  assert.ok(empty.disk && empty.disk.used > 0 && empty.disk.used < empty.disk.size);

  const integration = await store.integrations.create({
    accountId: "acc_9",
    name: "stopped",
    host: "smtp.example.com",
    port: 587,
    tls: "starttls",
    auth: null,
    senders: ["a@example.com"],
  });
  await store.integrations.suspend(integration, { at: now, reason: "login refused" });
  await store.circuits.countFailure({
    id: "acc_9/8",
    reason: "refused",
    now,
    pauseMs: () => 30_000,
  });
  const failed = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  await store.integrations.noteResults([12, 9].map((minutes, id) => ({
    ...{ accountId: "acc_9", id: id + 1, failedFrom: failed(-minutes) },
    lastFailed: { at: now, messageId: "msg_1", reason: "refused" },
  })));
  const [stoppedBy, messageId] = [testSend(), testSend({ accountId: "acc_2" })].map(({ _id }) =>
    messageIdOf(_id, 0)
  );
  assert.ok(stoppedBy && messageId);
  const why = { waitsFor: "acc_1/1", reason: "login refused" };
  await voidAttempt(store, "deferred", { messageId: stoppedBy, attempt: 1, at: now, ...why });
  assert.ok(await takeAttempt(store, { messageId, attempt: 1 }));
  const outcome = { messageId, attempt: 1, at: now, durationMs: 1 };
  assert.ok(await endAttempt(store, "unknown", { ...outcome, reason: "no reply" }));

  const state = await store.statistics.ledgerState(now);
  assert.equal(state.failing, 1, "one fails for less than ten minutes");
  const { waiting: waiting, unknown, unreachable, suspended } = state;
  assert.deepEqual({ waiting, unknown, unreachable }, { waiting: 1, unknown: 1, unreachable: 1 });
  assert.deepEqual(suspended.map(({ name, reason }) => [name, reason]), [
    ["stopped", "login refused"],
  ]);
  const large = testSend({ messageCount: 10, next: 0 });
  await store.sends.accept(large);
  await store.waiting.queueSend(large);
  assert.equal((await store.statistics.ledgerState(now)).waiting, 11);
  const later = await store.statistics.ledgerState(new Date(now.getTime() + 60_000));
  assert.equal(later.unreachable, 0);
  const plan = JSON.stringify(
    await db.collection("messages").find({ state: "unknown" }).explain("queryPlanner"),
  );
  assert.match(plan, /"indexName":"state_1"/);
});
