import assert from "node:assert/strict";
import { test } from "node:test";
import { testSend } from "@posthaste/kit";
import { openTestStore } from "./_test_store.ts";

const LATER = new Date("2026-02-01T00:00:00Z");

test("withdrawSend() removes a send from every view of the ledger", async () => {
  await using open = await openTestStore();
  const { store } = open;
  const send = testSend();
  await store.sends.accept(send);
  assert.equal(await store.sends.withdraw(send), true);
  assert.equal(await store.sends.load(send._id), null);
  assert.equal(await store.sends.find(send.accountId, send._id), null);
  assert.deepEqual(await store.sends.list(send.accountId, { limit: 10 }), []);
  assert.deepEqual(await store.sends.listToReconcile(LATER, 10), []);
});

test("withdrawSend() blocks a send whose write comes after it, and may be repeated", async () => {
  await using open = await openTestStore();
  const { store, db } = open;
  const send = testSend();
  assert.equal(await store.sends.withdraw(send), true);
  const write = db.collection<{ _id: string }>("sends").insertOne({ _id: send._id });
  await assert.rejects(write, { code: 11000 });
  assert.equal(await store.sends.withdraw(send), true);
  assert.equal(await store.sends.load(send._id), null);
});

test("withdrawSend() leaves a send alone that the reconciler has examined or settled", async () => {
  await using open = await openTestStore();
  const { store } = open;
  const swept = testSend();
  const settled = testSend();
  for (const send of [swept, settled]) await store.sends.accept(send);
  await store.sends.claimReconciliation([swept._id], { now: LATER, reconcileAt: LATER });
  await store.sends.settle([settled], LATER);
  for (const send of [swept, settled]) {
    assert.equal(await store.sends.withdraw(send), false);
    assert.equal((await store.sends.load(send._id))?._id, send._id);
  }
});

test("withdrawSend() leaves only what the database removes after a day", async () => {
  await using open = await openTestStore();
  const { store, db } = open;
  const send = testSend();
  await store.sends.withdraw(send);
  const indexes = await db.collection("sends").indexes();
  const ttl = indexes.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  assert.equal(ttl?.expireAfterSeconds, 24 * 3600);
  const [left] = await db.collection("sends").find().toArray();
  assert.ok(left?.["withdrawnAt"] instanceof Date);
});
