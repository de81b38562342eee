import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf, newSendId, type Send } from "@posthaste/contracts";
import { testSend, voidAttempt } from "@posthaste/kit";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const keyed = (key: string, changes: Partial<Send> = {}) =>
  testSend({ idempotency: { key, bodyHash: "h" }, ...changes });

test("acceptSend() stores the request exactly, whatever its variables are called", async () => {
  const send = testSend();
  send.request.variables = JSON.parse(
    '{"_bsontype":"ObjectId","$set":{"a.b":1},"nul\\u0000key":[1.5,-2,1e300,null,"\\ud800"],"__proto__":{"x":1}}',
  );
  assert.deepEqual(await store.sends.accept(send), { accepted: true });
  assert.deepEqual(await store.sends.find("acc_1", send._id), send);
  assert.deepEqual(await store.sends.load(send._id), send);
});

test("acceptSend() takes a request that would outgrow a document as BSON", async () => {
  const send = testSend();
  send.request.variables = { list: Array.from({ length: 2_000_000 }, () => 1) };
  assert.deepEqual(await store.sends.accept(send), { accepted: true });
});

test("acceptSend() accepts one of 20 concurrent duplicates, and returns it to the others", async () => {
  const duplicates = Array.from({ length: 20 }, () => keyed("duplicate"));
  const results = await Promise.all(duplicates.map((each) => store.sends.accept(each)));
  const winner = duplicates.find((_, index) => results[index]?.accepted);
  assert.ok(winner);
  const others = results.filter((result) => !result.accepted);
  assert.equal(others.length, 19);
  for (const result of others) assert.deepEqual(result, { accepted: false, existing: winner });
  assert.deepEqual(await store.sends.findByIdempotencyKey("acc_1", "duplicate"), winner);
});

test("acceptSend() accepts the same send again, and the same key of another account", async () => {
  const send = keyed("mine");
  assert.deepEqual(await store.sends.accept(send), { accepted: true });
  assert.deepEqual(await store.sends.accept(send), { accepted: true });
  const foreign = keyed("mine", { accountId: "acc_2" });
  assert.deepEqual(await store.sends.accept(foreign), { accepted: true });
  assert.equal(await store.sends.find("acc_2", send._id), null);
  assert.deepEqual(await store.sends.findByIdempotencyKey("acc_2", "mine"), foreign);
  assert.equal(await store.sends.findByIdempotencyKey("acc_3", "mine"), null);
});

test("expireIdempotencyKeys() frees keys older than 7 days, and keeps their sends", async () => {
  const old = keyed("weekly", { acceptedAt: at(0) });
  const young = keyed("daily", { acceptedAt: at(20) });
  await store.sends.accept(old);
  await store.sends.accept(young);
  assert.ok(await store.sends.expireIdempotencyKeys(at(10 + 7 * 86_400)) >= 1);
  assert.deepEqual(await store.sends.accept(keyed("weekly")), { accepted: true });
  assert.equal((await store.sends.accept(keyed("daily"))).accepted, false);
  assert.equal((await store.sends.load(old._id))?.idempotency, undefined);
});

test("sendsToReconcile() returns sends that are due and not settled, without requests", async () => {
  const [first, second, later, settled] = [30, 20, 4000, 10].map((seconds) =>
    testSend({
      accountId: "acc_sweep",
      reconcileAt: at(seconds),
      _id: newSendId("acc_sweep", at(seconds)),
    })
  ) as [Send, Send, Send, Send];
  for (const send of [first, second, later, settled]) await store.sends.accept(send);
  assert.equal(await store.sends.settle([settled], at(40)), 1);
  assert.equal(await store.sends.settle([settled], at(41)), 0);
  const mine = async (now: Date) =>
    (await store.sends.listToReconcile(now, 100)).filter(({ accountId }) =>
      accountId === "acc_sweep"
    );
  assert.ok((await store.sends.nextReconciliation() ?? at(9000)) <= at(20));
  const due = await mine(at(30));
  assert.deepEqual(due.map(({ _id }) => _id), [second._id, first._id]);
  assert.deepEqual(due[0]?.from, { email: "shop@example.com" });
  assert.equal("request" in (due[0] ?? {}), false);

  const ids = [first._id, later._id, settled._id];
  const got = await store.sends.claimReconciliation(ids, { now: at(30), reconcileAt: at(500) });
  assert.deepEqual(got.map(({ _id }) => _id), [first._id]);
  assert.deepEqual(got[0]?.reconcileAt, at(500));
  assert.equal("request" in (got[0] ?? {}), false);
  const plan = (send: Send, claimedUntil: number, reconcileAt: number) =>
    store.sends.planReconciliation([send._id], {
      ...{ claimedUntil: at(claimedUntil), reconcileAt: at(reconcileAt) },
    });
  await plan(first, 500, 25);
  // Brought forward since a claim until then, and settled.
  await plan(second, 500, 900);
  await plan(settled, 10, 1);
  assert.deepEqual((await mine(at(30))).map(({ _id }) => _id), [second._id, first._id]);
  assert.equal((await store.sends.listToReconcile(at(30), 1)).length, 1);
  assert.deepEqual((await store.sends.load(settled._id))?.settledAt, at(40));
});

test("claimReconciliation() grants each send to one of several concurrent reconcilers", async () => {
  const ids = await Promise.all(Array.from({ length: 40 }, async () => {
    const send = testSend({ accountId: "acc_claim", reconcileAt: at(10) });
    await store.sends.accept(send);
    return send._id;
  }));
  const times = { now: at(20), reconcileAt: at(500) };
  const reconcilers = [0, 10, 20].map((offset) => ids.slice(offset, offset + 20));
  const got = await Promise.all(
    reconcilers.map((some) => store.sends.claimReconciliation(some, times)),
  );
  assert.deepEqual(got.flat().map(({ _id }) => _id).sort(), ids.toSorted());
  assert.deepEqual(await store.sends.claimReconciliation(ids, times), []);
});

test("listSends() pages through the sends of one account, newest first", async () => {
  const ids = [1, 2, 3, 4, 5].map((seconds) => newSendId("acc_list", at(seconds)));
  for (const _id of ids) await store.sends.accept(testSend({ _id, accountId: "acc_list" }));
  const page = await store.sends.list("acc_list", { limit: 2 });
  assert.deepEqual(page.map(({ _id }) => _id), [ids[4], ids[3]]);
  const next = await store.sends.list("acc_list", { limit: 9, before: ids[3] });
  assert.deepEqual(next.map(({ _id }) => _id), [ids[2], ids[1], ids[0]]);
});

test("finished() finds sends whose messages have all ended, and that are not settled", async () => {
  const [single, several, open, none] = [1, 3, 3, 2].map((messageCount) =>
    testSend({ messageCount })
  );
  assert.ok(single && several && open && none);
  const end = (messageId: string, state: "sent" | "failed" | "deferred") =>
    voidAttempt(store, state, { messageId, attempt: 1, at: at(1) });
  for (const send of [single, several, open, none]) await store.sends.accept(send);
  await end(messageIdOf(single._id, 0), "sent");
  for (const index of [0, 1]) await end(messageIdOf(several._id, index), "failed");
  await store.messages.cancel("acc_1", messageIdOf(several._id, 2), at(2));
  for (const index of [0, 1]) await end(messageIdOf(open._id, index), "sent");
  await end(messageIdOf(open._id, 2), "deferred");
  const ids = [single._id, several._id, open._id, none._id, "snd_none"];
  assert.deepEqual(
    (await store.sends.finished(ids)).map(({ _id }) => _id).toSorted(),
    [single._id, several._id].toSorted(),
  );
  await store.sends.settle([single], at(3));
  const [left, ...others] = await store.sends.finished(ids);
  assert.deepEqual([left?._id, others.length], [several._id, 0]);
});
