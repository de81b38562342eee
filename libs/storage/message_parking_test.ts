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

function park(send: Send, parkedFor: string, index = 0, attempt = 0) {
  return store.parkMessage({ ...parkingOf(send, attempt, at(5), index), parkedFor, reason });
}

const read = (send: Send, index = 0) => store.findMessage("acc_1", messageIdOf(send._id, index));

test("parkMessage() parks a message, with one line however often", async () => {
  const send = sendOf();
  await store.acceptSend(send);
  for (let time = 0; time < 3; time++) assert.equal(await park(send, "acc_1/1"), true);
  const message = await read(send);
  assert.equal(message?.state, "deferred");
  assert.equal(message?.parkedFor, "acc_1/1");
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
  assert.equal((await read(send))?.nextAt, null);
});

test("releaseParked() lets the oldest go, which count until an outcome or the next parking", async () => {
  const late = sendOf({ messageCount: 2, acceptedAt: at(20) });
  const early = sendOf({ acceptedAt: at(10) });
  for (const [send, index] of [[late, 0], [late, 1], [early, 0]] as const) {
    await store.acceptSend(send);
    await park(send, "acc_1/3", index);
  }
  assert.ok((await store.parkedIntegrations()).includes("acc_1/3"));
  const parkedFor = "acc_1/3";
  const none = await store.releaseParked({
    parkedFor,
    limit: 9,
    now: at(30),
    sweepAt: at(90),
    acceptedBefore: at(10),
  });
  assert.deepEqual(none, []);
  const released = await store.releaseParked({ parkedFor, limit: 2, now: at(30), sweepAt: at(90) });
  assert.deepEqual(released.map(({ sendId }) => sendId), [early._id, late._id]);
  assert.equal(await store.countReleased(parkedFor), 2);
  assert.deepEqual((await store.sendHeads([early._id])).map(({ sweepAt }) => sweepAt), [
    new Date(Math.min(at(90).getTime(), early.sweepAt.getTime())),
  ]);
  const free = await read(early);
  assert.deepEqual([free?.state, free?.parkedFor, free?.nextAt], ["deferred", null, at(30)]);

  await takeAttempt(store, { messageId: messageIdOf(early._id, 0), attempt: 1 });
  assert.equal(await store.countReleased(parkedFor), 2);
  await endAttempt(store, "sent", { messageId: messageIdOf(early._id, 0), attempt: 1, at: at(32) });
  assert.equal(await store.countReleased(parkedFor), 1);
  assert.equal(await store.takeReturned(parkedFor), 0);
  await park(late, parkedFor, released[1]?.index);
  assert.equal(await store.countReleased(parkedFor), 0);
  assert.equal(await store.takeReturned(parkedFor), 1);
  assert.equal(await store.takeReturned(parkedFor), 0);
  await store.releaseParked({ parkedFor, limit: 9, now: at(33), sweepAt: at(93) });
  assert.equal((await store.parkedIntegrations()).includes(parkedFor), false);
});

test("an outcome parks a message that was tried", async () => {
  const send = sendOf();
  await takeAttempt(store, { messageId: messageIdOf(send._id, 0), attempt: 1 });
  const messageId = messageIdOf(send._id, 0);
  const outcome = { messageId, attempt: 1, at: at(1), reason: "login refused" };
  await endAttempt(store, "deferred", { ...outcome, parkedFor: "acc_1/4" });
  assert.deepEqual(await store.parkedIntegrations(), ["acc_1/1", "acc_1/2", "acc_1/4"]);
  assert.equal((await read(send))?.nextAt, null);
});
