import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened?.[Symbol.asyncDispose]());

async function accepted(own: object = {}) {
  const send = testSend({ messageCount: 3 });
  const to = send.request.to.map((recipient, index) =>
    index === 1 ? { ...recipient, ...own } : recipient
  );
  const request = { ...send.request, reference: "top", to };
  await opened.store.sends.accept({ ...send, request });
  const at = new Date("2026-01-01T00:00:06Z");
  await takeAttempt(opened.store, { messageId: messageIdOf(send._id, 0), attempt: 1 });
  await takeAttempt(opened.store, { messageId: messageIdOf(send._id, 1), attempt: 1 });
  await endAttempt(opened.store, "sent", { messageId: messageIdOf(send._id, 1), attempt: 1, at });
  return send;
}

test("findWithHead() finds what find() does, with the labels of the message", async () => {
  const { store } = opened;
  const send = await accepted({ reference: "own" });
  const states = [];
  for (const index of [0, 1, 2]) {
    const id = messageIdOf(send._id, index);
    const found = await store.messages.findWithHead("acc_1", id);
    assert.deepEqual(found?.message, await store.messages.find("acc_1", id));
    const { acceptedAt, template, integrationId } = send;
    assert.deepEqual(found?.send, { acceptedAt, template, integrationId });
    states.push([found?.message.state, found?.labels.reference]);
    assert.equal(await store.messages.findWithHead("acc_2", id), null);
  }
  assert.deepEqual(states, [["sending", "top"], ["sent", "own"], ["queued", "top"]]);
  for (const wrong of [messageIdOf(send._id, 3), messageIdOf(testSend()._id, 0), "msg_x"]) {
    assert.equal(await store.messages.findWithHead("acc_1", wrong), null);
  }
});

test("findWithHead() does not read the request of a send of a message with an outcome", async () => {
  const { store, db } = opened;
  const send = await accepted();
  await db.collection<{ _id: string }>("sends").updateOne({ _id: send._id }, {
    $set: { request: "no JSON: reading it would fail" },
  });
  const found = await store.messages.findWithHead("acc_1", messageIdOf(send._id, 1));
  assert.deepEqual([found?.message.state, found?.labels.reference], ["sent", "top"]);
  await assert.rejects(store.messages.findWithHead("acc_1", messageIdOf(send._id, 2)));
});

test("findWithHead() finds the language that a mail was wanted in, until its recipient is forgotten", async () => {
  const { store } = opened;
  const to = [{ email: "a@example.net", locale: "de-AT" }, { email: "b@example.net" }];
  const from = { email: "shop@example.com" };
  const locales = async (changes: object) => {
    const request = { from, to, ...changes };
    const send = testSend({ request });
    await store.sends.accept(send);
    const found = async (index: number) =>
      (await store.messages.findWithHead("acc_1", messageIdOf(send._id, index)))?.locale;
    return { before: await Promise.all(request.to.map((_, index) => found(index))), found };
  };
  assert.deepEqual((await locales({ locale: "fr" })).before, ["de-AT", "fr"]);
  const alone = [{ email: "only@example.net" }];
  assert.deepEqual((await locales({ to: alone })).before, [undefined]);
  const { before, found } = await locales({ to: alone, locale: "it" });
  assert.deepEqual(before, ["it"]);
  const now = new Date("2026-01-02T00:00:00Z");
  await store.retention.forgetRecipient("acc_1", "only@example.net", { audit: "count", now });
  assert.equal(await found(0), undefined);
  const stored = await opened.db.collection("sends").countDocuments({ locale: "it" });
  assert.equal(stored, 0);
});
