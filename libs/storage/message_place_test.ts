import { messageIdOf } from "@posthaste/contracts";
import { testSend, voidAttempt } from "@posthaste/kit";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

const accountId = "acc_1";
const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, second));

async function waitingSend(second: number, changes: Parameters<typeof testSend>[0]) {
  const send = testSend({ accountId, acceptedAt: at(second), next: 0, ...changes });
  await opened.store.sends.accept(send);
  await opened.store.waiting.queueSend(send);
  return send;
}

async function placeOf(sendId: string, index: number) {
  const { store } = opened;
  const message = await store.messages.find(accountId, messageIdOf(sendId, index));
  assert.ok(message);
  return (await store.messages.findPlaces(accountId, [message])).get(message._id);
}

test("findPlaces() counts what goes first: returned messages, small sends, and older ones", async () => {
  const { store } = opened;
  const older = await waitingSend(1, { messageCount: 5, priority: "bulk" });
  const send = await waitingSend(2, { messageCount: 4, priority: "bulk" });
  await waitingSend(3, { messageCount: 4, priority: "bulk" });
  const behind = "Other messages of this integration go first";
  assert.deepEqual(await placeOf(send._id, 0), { reason: behind, ahead: 5 });
  assert.deepEqual(await placeOf(send._id, 3), { reason: behind, ahead: 8 });
  assert.equal((await placeOf(older._id, 0))?.ahead, 0);
  const [head] = await store.waiting.listSends(`${accountId}/1`, { limit: 1 });
  assert.ok(head && await store.waiting.advanceSend(head, 2, { reconcileAt: at(60) }));
  assert.equal((await placeOf(send._id, 0))?.ahead, 3, "two of the older one are on their way");
  assert.equal(await placeOf(older._id, 1), undefined, "and so wait no more");
  await waitingSend(4, { messageCount: 1, priority: "transactional" });
  assert.equal((await placeOf(send._id, 0))?.ahead, 4);
  for (const index of [0, 1]) {
    const messageId = messageIdOf(older._id, index);
    const why = { reason: "login refused", waitsFor: `${accountId}/1` };
    await voidAttempt(store, "deferred", { messageId, attempt: 1, at: at(5), ...why });
  }
  assert.deepEqual(await placeOf(older._id, 0), { reason: "login refused", ahead: 0 });
  assert.deepEqual(await placeOf(older._id, 1), { reason: "login refused", ahead: 1 });
  assert.equal((await placeOf(send._id, 0))?.ahead, 6);
});

test("findPlaces() returns what stops an integration, and nothing for messages that do not wait for it", async () => {
  const { store } = opened;
  const integration = await store.integrations.create({
    ...{ accountId, name: "main", host: "smtp.example.com", port: 25, tls: "none", auth: null },
    senders: ["shop@example.com"],
  });
  const send = await waitingSend(9, { integrationId: integration.id });
  await store.integrations.suspend(integration, { at: at(9), reason: "no login" });
  const reason = "The integration is suspended: no login";
  assert.equal((await placeOf(send._id, 0))?.reason, reason);
  const line = await store.waiting.listSends(integration._id, { limit: 99 });
  const head = line.find(({ _id }) => _id === send._id);
  assert.ok(head && await store.waiting.advanceSend(head, 1, { reconcileAt: at(60) }));
  const underway = await placeOf(send._id, 0);
  assert.deepEqual(underway, { reason, ahead: 0 }, "what is underway comes back");
  const stopped = { reason: "The server refused the login", waitsFor: integration._id };
  const busy = { reason: "The server is busy", nextAt: at(20) };
  for (const [index, why] of [stopped, busy].entries()) {
    const messageId = messageIdOf(send._id, index);
    await voidAttempt(store, "deferred", { messageId, attempt: 1, at: at(10), ...why });
    assert.equal((await placeOf(send._id, index))?.reason, reason, "no try is planned");
  }
  await store.integrations.resume(accountId, integration.id);
  await store.integrations.pause(accountId, integration.id, { at: at(9), reason: "Ann moves it" });
  assert.equal((await placeOf(send._id, 0))?.reason, "The integration is paused: Ann moves it");
  await store.integrations.resume(accountId, integration.id);
  const { _id: id } = integration;
  await store.circuits.countFailure({ id, reason: "no answer", now: at(9), pauseMs: () => 1000 });
  assert.match((await placeOf(send._id, 0))?.reason ?? "", /cannot be reached: no answer/);
  const straight = testSend({ accountId, messageCount: 1, integrationId: 2 });
  await store.sends.accept(straight);
  assert.equal(await placeOf(straight._id, 0), undefined, "it is on its way");
});
