import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestStore, parkingOf, sendOf } from "./_test_store.ts";

const now = new Date("2026-01-01T00:00:05Z");

test("listHolds() lists what is suspended, left alone at the time, or has parked mail", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const integrations = await Promise.all(["free", "stopped"].map((name) =>
    store.createIntegration({
      accountId: "acc_9",
      name,
      host: "smtp.example.com",
      port: 587,
      tls: "starttls",
      auth: null,
      senders: ["a@example.com"],
    })
  ));
  assert.deepEqual(await store.listHolds(now), []);

  const stopped = integrations.find(({ name }) => name === "stopped");
  assert.ok(stopped);
  await store.suspendIntegration(stopped, { at: now, reason: "login refused" });
  const pauseMs = () => 30_000;
  await store.noteTrouble({ id: "acc_9/8", reason: "refused", now, pauseMs });
  const long = new Date(now.getTime() - 60_000);
  await store.noteTrouble({ id: "acc_9/7", reason: "refused", now: long, pauseMs });
  await store.noteTrouble({ id: "acc_9/6", reason: "refused", now, pauseMs: () => 0 });
  const claim = { ...parkingOf(sendOf(), 0, now), parkedFor: "acc_1/1", reason: "busy" };
  await store.parkMessage(claim);

  assert.deepEqual(await store.listHolds(now), [
    { _id: "acc_1/1", reason: "Other mail of this integration waits for its turn", bulkOnly: true },
    { _id: "acc_9/8", reason: "The SMTP server cannot be reached: refused", bulkOnly: false },
    { _id: stopped._id, reason: "The integration is suspended: login refused", bulkOnly: false },
  ]);
});
