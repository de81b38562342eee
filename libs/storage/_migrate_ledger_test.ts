import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import type { Document } from "mongodb";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { openStore } from "./store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore({ changesIndexes: true });
});
after(() => opened?.[Symbol.asyncDispose]());

const send = testSend({ messageCount: 8, reconcileAt: new Date() });
const now = Date.now();

/** Returns a message as version 1 stored it. */
function messageOf(index: number, changes: Document): Document {
  return {
    _id: messageIdOf(send._id, index),
    ...{ sendId: send._id, accountId: "acc_1", index, email: `r${index}@example.com` },
    ...{ state: "queued", attempt: 0, leaseUntil: null, dotAt: null, parkedFor: null },
    ...{ releasedFor: null, nextAt: null, acceptedAt: send.acceptedAt, finishedAt: null },
    ...{ reason: null, reply: null, mimeHash: null },
    timeline: [{ at: send.acceptedAt, type: "queued", attempt: 0 }],
    ...changes,
  };
}

const FIRST = [
  messageOf(0, {}),
  messageOf(1, { state: "rendered" }),
  messageOf(2, { state: "rendered", attempt: 3 }),
  // Claimed, and nothing handed over.
  messageOf(3, { state: "sending", attempt: 1, leaseUntil: new Date(now + 60_000) }),
  // At its dot, for some more minutes.
  messageOf(4, {
    ...{ state: "sending", attempt: 1, dotAt: new Date(now) },
    leaseUntil: new Date(now + 600_000),
  }),
  // At its dot, and its mailer was lost.
  messageOf(5, {
    ...{ state: "sending", attempt: 2, dotAt: new Date(now - 900_000) },
    leaseUntil: new Date(now - 60_000),
  }),
  messageOf(6, { state: "deferred", attempt: 1, parkedFor: "acc_1/1" }),
  messageOf(7, { state: "sent", attempt: 1, finishedAt: new Date(now) }),
];

test("ensureIndexes() migrates what version 1 left in flight, however often it is interrupted", async () => {
  const { store, db, url } = opened;
  await store.sends.accept(send);
  const collection = db.collection("messages");
  await collection.insertMany(FIRST as never[]);
  await db.collection("sends").updateMany({}, { $unset: { emails: "" } });
  // Attempts to sign in were stored under the name that registers have now.
  await db.collection("attempts").insertOne({ _id: "sign in" as never, forgetAt: new Date() });
  await db.collection("ledger").deleteMany({});

  await assert.rejects(openStore({ url }), /version 1.*"posthaste migrate" first/);
  await using migrating = await openStore({ url, migrating: true });
  for (let time = 0; time < 2; time++) {
    await migrating.ensureIndexes();
    if (time === 0) await db.collection("ledger").deleteMany({});
  }

  const left = await collection.find().sort({ _id: 1 }).toArray();
  assert.deepEqual(left.map(({ index, state, attempt }) => [index, state, attempt]), [
    [2, "deferred", 3],
    [5, "deferred", 1],
    [6, "deferred", 1],
    [7, "sent", 1],
  ]);
  const registers = await db.collection("attempts").find().sort({ _id: 1 }).toArray();
  assert.deepEqual(registers.map(({ _id, dot }) => [_id, dot]), [
    [`${messageIdOf(send._id, 4)}/1`, true],
    [`${messageIdOf(send._id, 5)}/2`, true],
  ] as never);
  const unfinished = await store.messages.unfinished(send);
  assert.deepEqual(unfinished.map(({ index, register }) => [index, register?.isOver]), [
    ...[[0, undefined], [1, undefined], [2, undefined], [3, undefined]],
    ...[[4, false], [5, true], [6, undefined]],
  ]);
  const [found] = (await store.messages.search("acc_1", {
    email: { text: "r3@example.com", isPrefix: false },
  }, { limit: 9 })).messages;
  assert.equal(found?.index, 3);
});
