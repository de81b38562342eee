import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { messageIdOf } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { ContentRemovedError } from "./message_retry.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened?.[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;
const now = new Date("2026-06-01T00:00:00Z");
const limitOfAge = new Date(now.getTime() - 90 * DAY_MS);

/** @param settledDays How many days ago it was settled. @default {days} */
async function failedSend(days: number, isSettled: boolean, settledDays = days) {
  const { store } = opened;
  const acceptedAt = new Date(now.getTime() - days * DAY_MS);
  const send = testSend({ acceptedAt, messageCount: 2 });
  await store.sends.accept(send);
  for (const index of [0, 1]) {
    await takeAttempt(store, { messageId: messageIdOf(send._id, index), attempt: 1 });
    const messageId = messageIdOf(send._id, index);
    await endAttempt(store, "failed", { messageId, attempt: 1, at: acceptedAt, reason: "no" });
  }
  const settledAt = new Date(now.getTime() - settledDays * DAY_MS);
  if (isSettled) await store.sends.settle([send], settledAt);
  return send;
}

const documents = () =>
  Promise.all(
    ["sends", "messages", "attempts"].map((name) => opened.db.collection(name).countDocuments()),
  );

test("removeOldSends() removes settled sends and their messages, and no others, in batches", async () => {
  const { store, db } = opened;
  for (const days of [100, 99, 98]) await failedSend(days, true);
  const open = await failedSend(97, false);
  const young = await failedSend(80, true);
  assert.deepEqual(await documents(), [5, 10, 10]);
  const first = await store.retention.removeOldSends({ before: limitOfAge, limit: 2, now });
  assert.equal(first.removed, 2);
  const rest = await store.retention.removeOldSends({
    ...{ before: limitOfAge, limit: 2, now },
    after: first.last ?? "",
  });
  assert.deepEqual(rest, { removed: 1, last: null });
  assert.deepEqual(await documents(), [2, 4, 4]);
  const left = await db.collection("sends").distinct("_id");
  assert.deepEqual(left.map(String).toSorted(), [open._id, young._id].toSorted());
  assert.equal((await store.sends.find("acc_1", young._id))?.contentRemovedAt, undefined);
});

test("removeOldSends() keeps a send for a week after its end, however old it is", async () => {
  const { store } = opened;
  const kept = await failedSend(89, true, 6.9);
  const gone = await failedSend(89, true, 7.1);
  const before = new Date(now.getTime() - 88 * DAY_MS);
  await store.retention.removeOldSends({ before, limit: 9, now });
  assert.ok(await store.sends.find("acc_1", kept._id));
  assert.equal(await store.sends.find("acc_1", gone._id), null);
});

test("removeOldSends() keeps a send that a person retried meanwhile, and refuses a later retry", async () => {
  const { store, db } = opened;
  const send = await failedSend(120, true);
  const messageId = messageIdOf(send._id, 0);
  assert.ok(await store.messages.retry("acc_1", messageId, { now }));
  assert.equal(
    (await store.retention.removeOldSends({ before: limitOfAge, limit: 9, now })).removed,
    0,
  );
  assert.equal((await store.messages.find("acc_1", messageId))?.state, "deferred");
  // The state after an interruption that follows the first step.
  const begun = await failedSend(121, true);
  await db.collection<{ _id: string }>("sends").updateOne({ _id: begun._id }, {
    $set: { contentRemovedAt: now },
  });
  const retry = store.messages.retry("acc_1", messageIdOf(begun._id, 0), { now });
  await assert.rejects(retry, ContentRemovedError);
  assert.equal(
    (await store.retention.removeOldSends({ before: limitOfAge, limit: 9, now })).removed,
    1,
  );
});
