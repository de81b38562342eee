import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { messageIdOf } from "@posthaste/contracts";
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

async function acceptedSend() {
  const send = testSend({ messageCount: 4 });
  await store.sends.accept(send);
  await takeAttempt(store, { messageId: messageIdOf(send._id, 1), attempt: 1 });
  await takeAttempt(store, { messageId: messageIdOf(send._id, 2), attempt: 1 });
  await endAttempt(store, "sent", { messageId: messageIdOf(send._id, 2), attempt: 1, at: at(6) });
  return send;
}

test("findMessage() finds messages without a document, and none of another account", async () => {
  const send = await acceptedSend();
  const id = messageIdOf(send._id, 0);
  const derived = await store.messages.find("acc_1", id);
  assert.equal(derived?.state, "queued");
  assert.equal(derived?.email, "r0@example.com");
  assert.equal((await store.messages.find("acc_1", messageIdOf(send._id, 2)))?.state, "sent");
  for (const index of [0, 2]) {
    assert.equal(await store.messages.find("acc_2", messageIdOf(send._id, index)), null);
  }
  for (const wrong of [messageIdOf(send._id, 4), messageIdOf(testSend()._id, 0), "msg_x"]) {
    assert.equal(await store.messages.find("acc_1", wrong), null);
  }
});

test("listMessages() lists all by index, also those without a document", async () => {
  const [send] = [await acceptedSend(), await acceptedSend()];
  const messages = await store.messages.list("acc_1", send._id);
  assert.deepEqual(messages?.map(({ index, state }) => [index, state]), [
    [0, "queued"],
    [1, "sending"],
    [2, "sent"],
    [3, "queued"],
  ]);
  assert.equal(await store.messages.list("acc_2", send._id), null);
  assert.equal(await store.messages.list("acc_1", testSend()._id), null);
});

test("countStates() counts the messages of the account's sends, documents or not", async () => {
  const [one, two] = [await acceptedSend(), testSend({ messageCount: 3 })];
  await store.sends.accept(two);
  // A message that is being sent has no outcome: only a list distinguishes it from a waiting one.
  const counted = { queued: 3, sent: 1 };
  assert.deepEqual(
    await store.messages.countStates("acc_1", [one._id, two._id, "snd_x"]),
    new Map<string, object>([[one._id, counted], [two._id, { queued: 3 }]]),
  );
  assert.equal((await store.messages.countStates("acc_2", [one._id])).size, 0);
});

test("unfinishedMessages() returns what a reconciler needs, also of messages without a document", async () => {
  const send = await acceptedSend();
  const none = { outcome: undefined, nextAt: null, waitsFor: null, enteredAt: at(0) };
  const register = { register: { by: "a test's worker", dot: true as const }, isOver: false };
  const unfinished = await store.messages.unfinished(send);
  delete unfinished[1]?.register?.at;
  assert.deepEqual(unfinished, [
    { index: 0, ...none, register: undefined },
    { index: 1, ...none, register },
    { index: 3, ...none, register: undefined },
  ]);
  for (const index of [0, 3]) {
    await takeAttempt(store, { messageId: messageIdOf(send._id, index), attempt: 1 });
  }
  for (const index of [0, 1, 3]) {
    await endAttempt(store, "sent", {
      messageId: messageIdOf(send._id, index),
      attempt: 1,
      at: at(8),
    });
  }
  assert.deepEqual(await store.messages.unfinished(send), []);
  const other = await acceptedSend();
  const both = await store.messages.unfinishedOf([send, other]);
  assert.deepEqual(
    [...both].map(([id, messages]) => [id, messages.map(({ index }) => index)]),
    [[send._id, []], [other._id, [0, 1, 3]]],
  );
});
