import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, takeAttempt } from "@posthaste/testing";
import { messageIdOf, type Send } from "@posthaste/contracts";
import { openTestStore, parkingOf, sendOf, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const reason = "The SMTP server is busy";

function park(send: Send, waitsFor: string, index = 0, attempt = 0) {
  return store.parkMessage({ ...parkingOf(send, attempt, at(5), index), waitsFor, reason });
}

const read = (send: Send, index = 0) => store.findMessage("acc_1", messageIdOf(send._id, index));

test("parkMessage() parks a message, with one line however often", async () => {
  const send = sendOf();
  await store.acceptSend(send);
  for (let time = 0; time < 3; time++) assert.equal(await park(send, "acc_1/1"), true);
  const message = await read(send);
  assert.equal(message?.state, "deferred");
  assert.equal(message?.waitsFor, "acc_1/1");
  assert.deepEqual(message?.timeline.map(({ type, detail }) => [type, detail]), [
    ["queued", undefined],
    ["deferred", reason],
  ]);
});

test("parkMessage() leaves a message alone that was tried since", async () => {
  const send = sendOf();
  await store.acceptSend(send);
  await takeAttempt(store, { messageId: messageIdOf(send._id, 0), attempt: 1 });
  assert.equal(await park(send, "acc_1/2", 0, 1), false);
  const messageId = messageIdOf(send._id, 0);
  await endAttempt(store, "deferred", {
    messageId,
    attempt: 1,
    at: at(1),
    reason: "busy",
    nextAt: at(60),
  });
  assert.equal(await park(send, "acc_1/2"), false);
  assert.equal(await park(send, "acc_1/2", 0, 1), true);
  assert.deepEqual((await read(send))?.nextAt, at(5));
});

test("an outcome parks a message that was tried", async () => {
  const send = sendOf();
  await takeAttempt(store, { messageId: messageIdOf(send._id, 0), attempt: 1 });
  const messageId = messageIdOf(send._id, 0);
  const outcome = { messageId, attempt: 1, at: at(1), reason: "login refused" };
  await endAttempt(store, "deferred", { ...outcome, waitsFor: "acc_1/4" });
  const message = await read(send);
  // Due as soon as there is room.
  assert.deepEqual([message?.waitsFor, message?.nextAt], ["acc_1/4", at(1)]);
});
