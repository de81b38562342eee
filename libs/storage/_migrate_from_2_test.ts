import assert from "node:assert/strict";
import { test } from "node:test";
import type { Document } from "mongodb";
import { newId } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import { openTestStore } from "./_test_store.ts";
import { openStore } from "./store.ts";

const there = { $exists: true };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

/** Returns a send as version 2 stored it; some have a key. */
function sendOfVersion2(n: number): Document {
  const { priority: lane, reconcileAt: sweepAt, ...send } = testSend({
    ...{ _id: newId("acc", at(n)).replace("acc_", "snd_"), acceptedAt: at(n) },
  });
  return {
    ...{ ...send, lane, sweepAt },
    request: JSON.stringify(send.request),
    from: send.request.from,
    ...(n % 2 === 0 ? { idempotency: { key: `order/${n}`, bodyHash: `h${n}` } } : {}),
  };
}

test("ensureIndexes() moves the keys that version 2 kept in sends, however often it is interrupted", async () => {
  await using opened = await openTestStore({ changesIndexes: true });
  const { db, store, url } = opened;
  const [sends, keys] = [db.collection("sends"), db.collection("idempotency_keys")];
  const written = Array.from({ length: 1200 }, (_, n) => sendOfVersion2(n));
  await sends.insertMany(written);
  const withKey = { "idempotency.key": { $gte: "" } };
  await sends.createIndexes([
    {
      key: { accountId: 1, "idempotency.key": 1 },
      unique: true,
      partialFilterExpression: withKey,
    },
    { key: { acceptedAt: 1 }, name: "idempotency_expiry", partialFilterExpression: withKey },
  ]);
  const asVersion2 = () =>
    db.collection<{ _id: string }>("ledger").updateOne({ _id: "ledger" }, {
      $set: { version: 2, oldestProgram: 2 },
    });
  await asVersion2();
  await assert.rejects(openStore({ url }), /version 2.*"posthaste migrate" first/);
  await using migrating = await openStore({ url, migrating: true });
  // One was moved, and the migration was interrupted before it was removed from its send.
  const [first] = written;
  const { accountId, acceptedAt, _id: sendId } = first ?? {};
  await keys.insertOne({
    ...{ _id: `${accountId}/order/0` as never, sendId, bodyHash: "h0", acceptedAt },
  });
  for (let time = 0; time < 2; time++) {
    await migrating.ensureIndexes();
    if (time === 0) await asVersion2();
  }

  assert.equal(await keys.countDocuments(), 600);
  assert.equal(await sends.countDocuments({ idempotency: { $exists: true } }), 0);
  const names = (await sends.indexes()).map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name?.includes("idempotency")), []);
  for (const n of [0, 600, 1198]) {
    const found = await store.sends.findByIdempotencyKey("acc_1", `order/${n}`);
    assert.equal(found?._id, written[n]?.["_id"]);
    const repeated = testSend({ idempotency: { key: `order/${n}`, bodyHash: `h${n}` } });
    const result = await store.sends.accept(repeated);
    assert.deepEqual(result, { accepted: false, existing: found });
    assert.equal(found?.idempotency?.bodyHash, `h${n}`);
  }
  assert.equal(await store.sends.expireIdempotencyKeys(at(600 + 7 * 86_400)), 300);
  assert.equal(await sends.countDocuments({ priority: "transactional" }), 1200);
  assert.equal(await sends.countDocuments({ $or: [{ lane: there }, { sweepAt: there }] }), 0);
  // A send with an id of an earlier version is found and listed like any other.
  const newest = await store.sends.list("acc_1", { limit: 1 });
  assert.deepEqual(newest.map(({ _id }) => _id), [written.at(-1)?.["_id"]]);
});

test("ensureIndexes() renames the waiting fields of messages and registers of version 2", async () => {
  await using opened = await openTestStore({ changesIndexes: true });
  const { db, url } = opened;
  const [messages, attempts] = [db.collection("messages"), db.collection("attempts")];
  const waiting = { state: "deferred", accountId: "acc_1", attempt: 1 };
  await messages.insertMany([
    { ...waiting, _id: "msg_1" as never, integration: "acc_1/1", parkedFor: "acc_1/1" },
    { ...waiting, _id: "msg_2" as never, integration: "acc_1/1", parkedFor: null },
  ]);
  await messages.createIndex({ parkedFor: 1, acceptedAt: 1 });
  const outcome = { state: "deferred", parkedFor: "acc_1/1" };
  await attempts.insertOne({ _id: "msg_3/1" as never, by: "a", void: outcome });
  await db.collection<{ _id: string }>("ledger").updateOne({ _id: "ledger" }, {
    $set: { version: 2, oldestProgram: 2 },
  });
  await using migrating = await openStore({ url, migrating: true });
  await migrating.ensureIndexes();
  assert.deepEqual(
    (await messages.find().sort({ _id: 1 }).toArray()).map(({ waitsFor }) => waitsFor),
    ["acc_1/1", null],
  );
  assert.equal((await attempts.findOne())?.["void"].waitsFor, "acc_1/1");
  const names = (await messages.indexes()).map(({ name }) => name);
  assert.ok(names.includes("waitsFor_1_acceptedAt_1"));
  assert.ok(!names.includes("parkedFor_1_acceptedAt_1"));
});
