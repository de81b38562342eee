import { messageIdOf, type Send } from "@posthaste/contracts";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, postponementOf, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const reason = "An image of it cannot be fetched";

const postpone = (send: Send, nextAt: Date) =>
  store.waiting.postponeMessage(postponementOf(send, { now: at(5), nextAt, reason }));

test("postponeMessage() makes a message wait, with one line in its timeline however often", async () => {
  const send = testSend();
  await store.sends.accept(send);
  for (const time of [10, 20, 30]) assert.equal(await postpone(send, at(time)), true);
  const message = await store.messages.find("acc_1", messageIdOf(send._id, 0));
  assert.deepEqual([message?.state, message?.attempt, message?.nextAt], ["deferred", 0, at(30)]);
  assert.equal(message?.from, send.request.from.email);
  assert.deepEqual(message?.timeline.map(({ type, detail }) => [type, detail]), [
    ["queued", undefined],
    ["deferred", reason],
  ]);
});

test("postponeMessage() leaves a message alone that was attempted since", async () => {
  const send = testSend();
  const messageId = messageIdOf(send._id, 0);
  await store.sends.accept(send);
  await takeAttempt(store, { messageId, attempt: 1 });
  const outcome = { messageId, attempt: 1, at: at(1), reason: "busy", nextAt: at(60) };
  await endAttempt(store, "deferred", outcome);
  assert.equal(await postpone(send, at(10)), false);
  assert.deepEqual((await store.messages.find("acc_1", messageId))?.nextAt, at(60));
});

test("an outcome makes an attempted message wait", async () => {
  const send = testSend();
  const messageId = messageIdOf(send._id, 0);
  await takeAttempt(store, { messageId, attempt: 1 });
  const outcome = { messageId, attempt: 1, at: at(1), reason: "login refused" };
  await endAttempt(store, "deferred", { ...outcome, waitsFor: "acc_1/4" });
  const message = await store.messages.find("acc_1", messageId);
  // Due as soon as the integration resumes.
  assert.deepEqual([message?.waitsFor, message?.nextAt], ["acc_1/4", at(1)]);
});
