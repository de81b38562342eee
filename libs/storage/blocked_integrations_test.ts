import assert from "node:assert/strict";
import { test } from "node:test";
import { messageIdOf, type Send } from "@posthaste/contracts";
import { testSend, voidAttempt } from "@posthaste/kit";
import { examinedBy, openTestStore } from "./_test_store.ts";

const now = new Date("2026-01-01T00:00:05Z");

test("listBlocked() lists integrations for which small sends have waited, and reads one entry of each", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const wait = async (integrationId: number, changes: Partial<Send>) => {
    const send = testSend({ next: 0, integrationId, ...changes });
    await store.sends.accept(send);
    await store.waiting.queueSend(send);
  };
  const old = new Date(now.getTime() - 5001);
  await wait(1, { acceptedAt: new Date(now.getTime() - 4000) });
  for (let n = 0; n < 20; n++) {
    await wait(2, { acceptedAt: old, priority: "bulk" });
    await wait(3, { acceptedAt: old });
  }
  const look = async () =>
    assert.deepEqual(await store.integrations.listBlocked(now), new Set(["acc_1/3"]));
  const examined = await examinedBy(db, "sends", look, "keysExamined");
  assert.ok(examined < 10, `${examined} keys of indexes were examined`);
});

test("listBlocked() lists integrations that are suspended, have an open circuit or returned mail", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const integrations = await Promise.all(
    ["free", "stopped"].map((name) =>
      store.integrations.create({
        accountId: "acc_9",
        name,
        host: "smtp.example.com",
        port: 587,
        tls: "starttls",
        auth: null,
        senders: ["a@example.com"],
      })
    ),
  );
  assert.deepEqual(await store.integrations.listBlocked(now), new Set());
  const stopped = integrations.find(({ name }) => name === "stopped");
  assert.ok(stopped);
  await store.integrations.suspend(stopped, { at: now, reason: "login refused" });
  const pauseMs = () => 30_000;
  await store.circuits.countFailure({ id: "acc_9/8", reason: "refused", now, pauseMs });
  const long = new Date(now.getTime() - 60_000);
  await store.circuits.countFailure({ id: "acc_9/7", reason: "refused", now: long, pauseMs });
  await store.circuits.countFailure({ id: "acc_9/6", reason: "refused", now, pauseMs: () => 0 });
  const attempt = { messageId: messageIdOf(testSend()._id, 0), attempt: 1, at: now };
  await voidAttempt(store, "deferred", { ...attempt, waitsFor: "acc_1/1", reason: "no login" });
  assert.deepEqual(
    await store.integrations.listBlocked(now),
    new Set(["acc_1/1", "acc_9/8", stopped._id]),
  );
});
