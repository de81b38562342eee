import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Send } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import type { StoredKey } from "./_collections.ts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const keyed = (key: string, bodyHash: string = "h"): Send =>
  testSend({ idempotency: { key, bodyHash } });
const keys = () => opened.db.collection<StoredKey>("idempotency_keys");

/**
 * Leaves behind the writes of a process that is lost between them; returns the send that it would have
 * accepted.
 */
async function losesSend(key: string): Promise<Send> {
  const send = keyed(key);
  const { _id: sendId, acceptedAt } = send;
  await keys().insertOne({ _id: `acc_1/${key}`, sendId, bodyHash: "h", acceptedAt });
  return send;
}

/** Returns the number of commands on a collection during some work. */
async function commandsOf(collection: string, work: () => Promise<unknown>): Promise<number> {
  await opened.db.command({ profile: 2 });
  const ts = { $gte: new Date() };
  await work();
  await opened.db.command({ profile: 0 });
  const ns = `${opened.db.databaseName}.${collection}`;
  return await opened.db.collection("system.profile").countDocuments({ ns, ts });
}

test("acceptSend() stores the key beside the send, and needs none for a send without one", async () => {
  const send = keyed("beside");
  await store.sends.accept(send);
  const [stored] = await opened.db.collection<{ _id: string }>("sends").find({ _id: send._id })
    .toArray();
  assert.ok(stored && !("idempotency" in stored));
  const { _id: sendId, acceptedAt } = send;
  assert.deepEqual(await keys().findOne({ _id: "acc_1/beside" }), {
    ...{ _id: "acc_1/beside", sendId, bodyHash: "h", acceptedAt },
  });
  const accept = () => store.sends.accept(testSend());
  assert.equal(await commandsOf("idempotency_keys", accept), 0);
  await delay(2);
  assert.equal(await commandsOf("sends", accept), 1);
});

test("acceptSend() writes the keys of many sends in few commands, and their sends too", async () => {
  const sends = Array.from({ length: 100 }, (_, n) => keyed(`many-${n}`));
  const accept = () => Promise.all(sends.map((send) => store.sends.accept(send)));
  let ofKeys = 0;
  const ofSends = await commandsOf("sends", async () => {
    ofKeys = await commandsOf("idempotency_keys", accept);
    await opened.db.command({ profile: 0 });
  });
  assert.ok(ofKeys > 0 && ofKeys <= 3 && ofSends > 0 && ofSends <= 3, `${ofKeys} and ${ofSends}`);
  assert.equal(await keys().countDocuments({ _id: /^acc_1\/many-/ }), 100);
});

test("acceptSend() takes over a key whose send never came, under an id of its own", async () => {
  const lost = await losesSend("lost");
  assert.equal(await store.sends.findByIdempotencyKey("acc_1", "lost"), null);
  const again = keyed("lost");
  assert.deepEqual(await store.sends.accept(again), { accepted: true });
  assert.deepEqual(await store.sends.findByIdempotencyKey("acc_1", "lost"), again);
  // A late write finds its place taken, and its process finds the other's send.
  const write = opened.db.collection<{ _id: string }>("sends").insertOne({ _id: lost._id });
  await assert.rejects(write, { code: 11000 });
  assert.deepEqual(await store.sends.accept(lost), { accepted: false, existing: again });
  assert.deepEqual(await store.sends.accept(again), { accepted: true });
});

test("acceptSend() lets one of many duplicates take over a lost key", async () => {
  await losesSend("contested");
  const all = Array.from({ length: 20 }, () => keyed("contested"));
  const results = await Promise.all(all.map((send) => store.sends.accept(send)));
  const winner = all.find((_, index) => results[index]?.accepted);
  assert.ok(winner);
  assert.equal(results.filter(({ accepted }) => accepted).length, 1);
  for (const result of results) {
    if (!result.accepted) assert.deepEqual(result.existing, winner);
  }
  const found = await Promise.all(all.map(({ _id }) => store.sends.load(_id)));
  assert.equal(found.filter((send) => send !== null).length, 1);
});

test("acceptSend() waits for a send that is written after its key", async () => {
  const slow = await losesSend("slow");
  const duplicate = store.sends.accept(keyed("slow"));
  await delay(100);
  assert.deepEqual(await store.sends.accept(slow), { accepted: true });
  assert.deepEqual(await duplicate, { accepted: false, existing: slow });
});

test("acceptSend() immediately refuses another request under a key, with or without a send", async () => {
  await losesSend("other");
  const refused = await store.sends.accept(keyed("other", "another"));
  assert.deepEqual(refused, { accepted: false, existing: null });
  const first = keyed("other-2");
  await store.sends.accept(first);
  const result = await store.sends.accept(keyed("other-2", "another"));
  assert.deepEqual(result, { accepted: false, existing: first });
});

test("acceptSend() accepts a request again whose send was withdrawn", async () => {
  const withdrawn = keyed("withdrawn");
  await store.sends.accept(withdrawn);
  assert.equal(await store.sends.withdraw(withdrawn), true);
  assert.equal(await store.sends.findByIdempotencyKey("acc_1", "withdrawn"), null);
  const again = keyed("withdrawn");
  assert.deepEqual(await store.sends.accept(again), { accepted: true });
  assert.equal(await store.sends.load(withdrawn._id), null);
  assert.deepEqual(await store.sends.findByIdempotencyKey("acc_1", "withdrawn"), again);
});

test("findSendByIdempotencyKey() accepts a key that contains a slash", async () => {
  const send = keyed("a/b/c");
  await store.sends.accept(send);
  assert.deepEqual(await store.sends.findByIdempotencyKey("acc_1", "a/b/c"), send);
  assert.equal(await store.sends.findByIdempotencyKey("acc_1", "a"), null);
});
