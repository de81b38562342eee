import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { claimOf, openTestStore, sendOf, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

async function acceptedSend() {
  const send = sendOf({ messageCount: 4 });
  await store.acceptSend(send);
  await store.claimMessage(claimOf(send, 0, at(5), 1));
  await store.claimMessage(claimOf(send, 0, at(5), 2));
  await store.markSent({ messageId: messageIdOf(send._id, 2), attempt: 1, at: at(6) });
  return send;
}

test("findMessage() knows messages without a document, and none of another account", async () => {
  const send = await acceptedSend();
  const id = messageIdOf(send._id, 0);
  const derived = await store.findMessage("acc_1", id);
  await store.materializeSends([send._id]);
  await store.materializeSends([send._id]);
  assert.deepEqual(await store.findMessage("acc_1", id), derived);
  assert.equal(derived?.email, "r0@example.com");
  assert.equal((await store.findMessage("acc_1", messageIdOf(send._id, 2)))?.state, "sent");
  for (const index of [0, 2]) {
    assert.equal(await store.findMessage("acc_2", messageIdOf(send._id, index)), null);
  }
  for (const wrong of [messageIdOf(send._id, 4), messageIdOf(sendOf()._id, 0), "msg_x"]) {
    assert.equal(await store.findMessage("acc_1", wrong), null);
  }
});

test("listMessages() lists all by index, those without a document too", async () => {
  const [send, neighbour] = [await acceptedSend(), await acceptedSend()];
  await store.materializeSends([neighbour._id]);
  const messages = await store.listMessages("acc_1", send._id);
  assert.deepEqual(messages?.map(({ index, state }) => [index, state]), [
    [0, "queued"],
    [1, "sending"],
    [2, "sent"],
    [3, "queued"],
  ]);
  assert.equal(await store.listMessages("acc_2", send._id), null);
  assert.equal(await store.listMessages("acc_1", sendOf()._id), null);
});

test("countStates() counts the messages of the account's sends, documents or not", async () => {
  const [one, two] = [await acceptedSend(), sendOf({ messageCount: 3 })];
  await store.acceptSend(two);
  const counted = { queued: 2, sending: 1, sent: 1 };
  assert.deepEqual(
    await store.countStates("acc_1", [one._id, two._id, "snd_x"]),
    new Map<string, object>([[one._id, counted], [two._id, { queued: 3 }]]),
  );
  await store.materializeSends([one._id]);
  assert.deepEqual(await store.countStates("acc_1", [one._id]), new Map([[one._id, counted]]));
  assert.equal((await store.countStates("acc_2", [one._id])).size, 0);
});

test("unfinishedMessages() tells what a sweeper must know, of missing ones too", async () => {
  const send = await acceptedSend();
  const none = { leaseUntil: null, nextAt: null, parkedFor: null };
  assert.deepEqual(await store.unfinishedMessages(send), [
    { index: 0, state: "queued", attempt: 0, ...none, enteredAt: at(0) },
    { index: 1, state: "sending", attempt: 1, ...none, leaseUntil: at(65), enteredAt: at(5) },
    { index: 3, state: "queued", attempt: 0, ...none, enteredAt: at(0) },
  ]);
  for (const index of [0, 3]) await store.claimMessage(claimOf(send, 0, at(7), index));
  for (const index of [0, 1, 3]) {
    await store.markSent({ messageId: messageIdOf(send._id, index), attempt: 1, at: at(8) });
  }
  assert.deepEqual(await store.unfinishedMessages(send), []);
});
