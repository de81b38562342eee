import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestStore, sendOf } from "./_test_store.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

test("waitingSends() lists what waits for an integration, small sends first, until all is dispatched", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const bulk = { priority: "bulk" as const, next: 0, messageCount: 30 };
  const [early, late, single, other] = [
    sendOf({ ...bulk, acceptedAt: at(1) }),
    sendOf({ ...bulk, acceptedAt: at(2) }),
    sendOf({ next: 0, acceptedAt: at(3) }),
    sendOf({ next: 0, integrationId: 2 }),
  ];
  const dispatched = sendOf();
  for (const send of [early, late, single, other, dispatched]) await store.sends.accept(send);
  assert.deepEqual(await store.waiting.integrationsWaitedFor(), []);
  for (const send of [late, early, single, other, dispatched]) {
    await store.waiting.queueSend(send);
    await store.waiting.queueSend(send);
  }
  assert.deepEqual(await store.waiting.integrationsWaitedFor(), ["acc_1/1", "acc_1/2"]);
  const listed = await store.waiting.listSends("acc_1/1", 9);
  assert.deepEqual(listed.map(({ _id, next }) => [_id, next]), [
    [single._id, 0],
    [early._id, 0],
    [late._id, 0],
  ]);
  assert.equal((await store.waiting.listSends("acc_1/1", 2)).length, 2);
  assert.ok(!("request" in (listed[0] ?? {})));

  const [first, second] = listed;
  assert.ok(first && second);
  const advance = (send: typeof first, to: number) =>
    store.waiting.advanceSend(send, to, { reconcileAt: at(31) });
  assert.equal(await advance(second, 20), true);
  assert.equal(await advance(second, 19), false, "another leader was first");
  assert.equal(await advance(second, 20), true, "it is so");
  assert.equal(await advance(first, 1), true);
  const left = await store.waiting.listSends("acc_1/1", 9);
  assert.deepEqual(left.map(({ _id, next, reconcileAt }) => [_id, next, reconcileAt]), [
    [early._id, 20, at(31)],
    [late._id, 0, late.reconcileAt],
  ]);
  assert.ok(left[0] && await advance(left[0], 30));
  assert.deepEqual((await store.sends.load(early._id))?.next, undefined);

  await store.messages.cancelSend("acc_1", late._id, at(9));
  assert.deepEqual(await store.waiting.listSends("acc_1/1", 9), []);
  const plan = JSON.stringify(
    await db.collection("sends").find({ waitsFor: "acc_1/2" }).sort({ priority: -1, acceptedAt: 1 })
      .explain("queryPlanner"),
  );
  assert.match(plan, /"indexName":"waitsFor_1_priority_-1_acceptedAt_1"/);
  assert.doesNotMatch(plan, /"stage":"SORT"/);
});
