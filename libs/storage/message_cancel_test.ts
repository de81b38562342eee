import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, losingWrites, takeAttempt, testSend, voidAttempt } from "@posthaste/kit";
import { messageIdOf, type Send } from "@posthaste/contracts";
import { examinedBy, openTestStore, postponementOf, type TestStore } from "./_test_store.ts";
import { deliveryLedgers } from "./delivery_ledger.ts";
import { messageCancel } from "./message_cancel.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

async function accepted(messageCount = 1, changes: Partial<Send> = {}) {
  const send = testSend({ messageCount, ...changes });
  await store.sends.accept(send);
  return { send, messageId: messageIdOf(send._id, 0) };
}

test("cancelMessage() keeps a message from being sent, postponed before or not", async () => {
  for (const isPostponed of [false, true]) {
    const { send, messageId } = await accepted();
    const times = { now: at(1), nextAt: at(60) };
    if (isPostponed) {
      await store.waiting.postponeMessage(postponementOf(send, { ...times, reason: "its images" }));
    }
    const canceled = await store.messages.cancel(send.accountId, messageId, at(5));
    assert.equal(canceled?.state, "canceled");
    assert.deepEqual(canceled?.finishedAt, at(5));
    assert.deepEqual(canceled?.timeline.map(({ type }) => type), [
      "queued",
      ...isPostponed ? ["deferred"] : [],
      "canceled",
    ]);
    assert.equal(await takeAttempt(store, { messageId, attempt: 1 }), false);
  }
});

test("cancelMessage() and cancelSend() end the timeline of a message that was to start later", async () => {
  const notBefore = new Date(at(0).getTime() + 3 * 24 * 3_600_000);
  for (const isWhole of [false, true]) {
    const { send, messageId } = await accepted(1, { notBefore, next: 0 });
    if (isWhole) await store.messages.cancelSend(send.accountId, send._id, at(5));
    else await store.messages.cancel(send.accountId, messageId, at(5));
    const found = await store.messages.find(send.accountId, messageId);
    assert.deepEqual(found?.timeline.map(({ type }) => type), ["queued", "canceled"]);
    assert.deepEqual(found.acceptedAt, send.acceptedAt);
  }
});

test("cancelMessage() and a mailer never both succeed", async () => {
  const { send } = await accepted(60);
  const outcomes = await Promise.all(send.request.to.map(async (_, index) => {
    const id = messageIdOf(send._id, index);
    const work = [
      () => store.messages.cancel(send.accountId, id, at(5)),
      () => takeAttempt(store, { messageId: messageIdOf(send._id, index), attempt: 1 }),
    ];
    // Either may begin.
    if (index % 2 === 1) work.reverse();
    const [one, other] = await Promise.all(work.map((each) => each()));
    const [canceled, taken] = index % 2 === 1 ? [other, one] : [one, other];
    const isTaken = taken === true;
    const found = await store.messages.find(send.accountId, id);
    return { isCanceled: canceled !== null, isTaken, state: found?.state };
  }));
  for (const { isCanceled, isTaken, state } of outcomes) {
    assert.notEqual(isCanceled, isTaken);
    assert.equal(state, isCanceled ? "canceled" : "sending");
  }
});

test("cancelMessage() refuses a message that is being sent, has ended or is another account's", async () => {
  const { send, messageId } = await accepted();
  assert.equal(await store.messages.cancel("acc_2", messageId, at(1)), null);
  assert.equal(await store.messages.cancel(send.accountId, "msg_1", at(1)), null);
  await takeAttempt(store, { messageId: messageIdOf(send._id, 0), attempt: 1 });
  assert.equal(await store.messages.cancel(send.accountId, messageId, at(2)), null);
  await endAttempt(store, "sent", { messageId, attempt: 1, at: at(3) });
  assert.equal(await store.messages.cancel(send.accountId, messageId, at(4)), null);
});

test("cancelMessage() ends the waiting of a deferred message, and its send settles", async () => {
  const { send, messageId } = await accepted();
  const waitsFor = `${send.accountId}/1`;
  const why = { at: at(1), reason: "login refused", waitsFor };
  await voidAttempt(store, "deferred", { messageId, attempt: 1, ...why });
  await store.messages.cancel(send.accountId, messageId, at(5));
  assert.deepEqual(await store.waiting.dueMessages(waitsFor, { now: at(6), limit: 9 }), []);
  const due = await store.sends.listToReconcile(at(5), 1000);
  assert.ok(due.some(({ _id }) => _id === send._id));
  assert.deepEqual(await store.messages.unfinished(send), []);
});

test("a late failure does not change a canceled message", async () => {
  const { send, messageId } = await accepted();
  await store.messages.cancel(send.accountId, messageId, at(5));
  const late = { messageId, attempt: 1, at: at(6), reason: "late" };
  assert.equal(await voidAttempt(store, "failed", late), false);
  assert.equal((await store.messages.find(send.accountId, messageId))?.state, "canceled");
});

test("cancelSend() cancels the rest of a send, and returns how many", async () => {
  const { send } = await accepted(5);
  await takeAttempt(store, { messageId: messageIdOf(send._id, 2), attempt: 1 });
  assert.equal(await store.messages.cancelSend("acc_2", send._id, at(2)), null);
  assert.deepEqual(await store.messages.cancelSend(send.accountId, send._id, at(2)), {
    ...{ canceled: 4, tooLate: 1 },
  });
  const states = (await store.messages.list(send.accountId, send._id))?.map(({ state }) => state);
  assert.deepEqual(states, ["canceled", "canceled", "sending", "canceled", "canceled"]);
});

test("cancelSome() reads the documents of the named messages, and no others of the send", async () => {
  const { store, db } = opened;
  const send = testSend({ accountId: "acc_some", messageCount: 60 });
  await store.sends.accept(send);
  for (let index = 0; index < 50; index++) {
    await store.messages.cancel("acc_some", messageIdOf(send._id, index), new Date());
  }
  const indexes = new Set([3, 55]);
  const examined = await examinedBy(db, "messages", async () => {
    const some = { sendId: send._id, indexes };
    assert.equal(await store.messages.cancelSome("acc_some", some, new Date()), 1);
  });
  assert.ok(examined < 10, `${examined} documents examined`);
});

test("cancel() and cancelSome() end the waiting of a send of which nothing is left to dispatch", async () => {
  const { store } = opened;
  const accountId = "acc_left";
  const send = testSend({ accountId, messageCount: 5, next: 2, waitsFor: `${accountId}/1` });
  await store.sends.accept(send);
  const waiting = async () =>
    (await store.waiting.listSends(`${accountId}/1`, { limit: 9 })).map((
      { _id, next },
    ) => [_id, next]);
  const cancel = (index: number) =>
    store.messages.cancel(accountId, messageIdOf(send._id, index), at(1));
  const some = { sendId: send._id, indexes: new Set([2, 4]) };
  assert.equal(await store.messages.cancelSome(accountId, some, at(1)), 2);
  await cancel(0);
  assert.deepEqual(await waiting(), [[send._id, 2]], "one of them is left");
  await cancel(3);
  assert.deepEqual(await waiting(), []);
  const [found] = await store.sends.heads([send._id]);
  assert.deepEqual([found?.next, found?.waitsFor], [undefined, undefined]);
  const unfinished = await store.messages.unfinished(send);
  assert.deepEqual(unfinished.map(({ index }) => index), [1], "it is in flight");
});

test("cancelMessage() and cancelSend() cancel a message that a mailer only began to defer, or a restore to hold", async () => {
  const ledgerOf = losingWrites(store.registers.ledgerOf, () => true);
  const losing = { ...store, registers: { ...store.registers, ledgerOf } };
  const notBefore = at(1);
  for (const state of ["deferred", "unknown"] as const) {
    for (const isWhole of [false, true]) {
      const { send, messageId } = await accepted(1, { notBefore });
      const ending = { messageId, attempt: 1, at: at(1), nextAt: at(60) };
      await assert.rejects(voidAttempt(losing, state, ending), /connection closed/);
      if (isWhole) await store.messages.cancelSend(send.accountId, send._id, at(5));
      else await store.messages.cancel(send.accountId, messageId, at(5));
      const found = await store.messages.find(send.accountId, messageId);
      assert.equal(found?.state, "canceled");
      // As everybody else writes it of a scheduled send.
      assert.deepEqual(found.acceptedAt, notBefore);
    }
  }
});

/** Returns operations whose first write about each message is lost. */
function cancelingBadly() {
  const ledgers = deliveryLedgers(opened.db, () => at(5));
  const ledgerOf = losingWrites(ledgers.ledgerOf, () => true);
  return messageCancel(opened.db, { ...ledgers, ledgerOf });
}

test("cancelMessage() completes what an earlier call began, whatever the state of the message", async () => {
  for (const isUnknown of [false, true]) {
    const { send, messageId } = await accepted();
    if (isUnknown) {
      await takeAttempt(store, { messageId, attempt: 1 });
      await endAttempt(store, "unknown", { messageId, attempt: 1, at: at(2) });
    }
    const { cancel } = cancelingBadly();
    await assert.rejects(cancel(send.accountId, messageId, at(5)), /connection closed/);
    assert.equal((await cancel(send.accountId, messageId, at(6)))?.state, "canceled");
  }
});

test("cancelSend() counts what an earlier call began to cancel", async () => {
  const { send } = await accepted(3);
  const { cancelSend } = cancelingBadly();
  await assert.rejects(cancelSend(send.accountId, send._id, at(5)), /connection closed/);
  assert.partialDeepStrictEqual(await cancelSend(send.accountId, send._id, at(6)), {
    ...{ canceled: 3, tooLate: 0 },
  });
});
