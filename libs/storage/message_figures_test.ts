import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { messageIdOf, type Send } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes));

async function accepted(accountId: string, minutes: number, messageCount: number): Promise<Send> {
  const send = testSend({ accountId, acceptedAt: at(minutes), messageCount });
  await store.sends.accept(send);
  return send;
}

async function fail(
  send: Send,
  index: number,
  { enhanced, minutes }: { enhanced: string; minutes: number },
) {
  await takeAttempt(store, { messageId: messageIdOf(send._id, index), attempt: 1 });
  const messageId = messageIdOf(send._id, index);
  const reply = { code: 550, enhanced, response: `550 ${enhanced} no` };
  await endAttempt(store, "failed", {
    messageId,
    attempt: 1,
    at: at(minutes),
    reason: "refused",
    reply,
    durationMs: 5,
  });
}

test("groupReasons() counts by cause, the most frequent first", async () => {
  const send = await accepted("acc_groups", 0, 4);
  await fail(send, 0, { enhanced: "5.7.1", minutes: 1 });
  await fail(send, 1, { enhanced: "5.1.1", minutes: 2 });
  await fail(send, 2, { enhanced: "5.1.1", minutes: 3 });
  const shape = { state: "failed", reason: "refused", code: 550 };
  const query = { states: ["failed"] as const };
  const all = [
    {
      ...{ ...shape, enhanced: "5.1.1", count: 2, response: "550 5.1.1 no" },
      messageId: messageIdOf(send._id, 2),
    },
    {
      ...{ ...shape, enhanced: "5.7.1", count: 1, response: "550 5.7.1 no" },
      messageId: messageIdOf(send._id, 0),
    },
  ];
  assert.deepEqual(await store.messages.groupReasons("acc_groups", query), all);
  assert.deepEqual(
    await store.messages.groupReasons("acc_groups", { ...query, sendId: send._id }),
    all,
  );
  assert.deepEqual(
    (await store.messages.groupReasons("acc_groups", { ...query, endedFrom: at(3) })).map((g) =>
      g.count
    ),
    [1],
  );
  assert.deepEqual(await store.messages.groupReasons("acc_groups", { ...query, from: at(1) }), []);
  assert.deepEqual(await store.messages.groupReasons("acc_none", query), []);
});

test("countMessages() counts up to a limit", async () => {
  const count = (limit: number) =>
    store.messages.count("acc_groups", { state: "failed", from: at(0), limit });
  assert.equal(await count(100), 3);
  assert.equal(await count(2), 2);
});

test("newestTimelines() returns the timelines of the newest messages", async () => {
  const old = await accepted("acc_lines", 0, 1);
  await fail(old, 0, { enhanced: "5.0.0", minutes: 1 });
  const young = await accepted("acc_lines", 5, 1);
  await fail(young, 0, { enhanced: "5.0.0", minutes: 6 });
  const [newest, ...rest] = await store.messages.newestTimelines("acc_lines", 1);
  assert.deepEqual(rest, []);
  assert.deepEqual(newest?.at(-1)?.at, at(6));
  assert.equal((await store.messages.newestTimelines("acc_lines", 9)).length, 2);
  assert.deepEqual(await store.messages.newestTimelines("acc_none", 9), []);
});

test("oldestWaiting() finds the longest waiting message that does not wait for a person", async () => {
  const held = await accepted("acc_oldest", 0, 1);
  await takeAttempt(store, { messageId: messageIdOf(held._id, 0), attempt: 1 });
  const messageId = messageIdOf(held._id, 0);
  await endAttempt(store, "unknown", { messageId, attempt: 1, at: at(1), reason: "lost" });
  assert.equal(await store.messages.oldestWaiting("acc_oldest"), null);
  await accepted("acc_oldest", 9, 1);
  const waiting = await accepted("acc_oldest", 3, 2);
  await fail(waiting, 0, { enhanced: "5.0.0", minutes: 4 });
  assert.deepEqual(await store.messages.oldestWaiting("acc_oldest"), {
    id: messageIdOf(waiting._id, 1),
    sendId: waiting._id,
    state: "queued",
    acceptedAt: at(3),
  });
});
