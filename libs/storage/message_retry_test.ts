import assert from "node:assert/strict";
import { test } from "node:test";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { messageIdOf } from "@posthaste/contracts";
import { openTestStore } from "./_test_store.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

test("retryMessage() brings back what failed or is unknown, overdue, and its send with it", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const send = testSend({ messageCount: 3 });
  await store.sends.accept(send);
  const [failed = "", unknown = "", sent = ""] = [0, 1, 2].map((n) => messageIdOf(send._id, n));
  for (const index of [0, 1, 2]) {
    await takeAttempt(store, { messageId: messageIdOf(send._id, index), attempt: 1 });
  }
  const outcome = { attempt: 1, at: at(1), reason: "no such user" };
  await endAttempt(store, "failed", { ...outcome, messageId: failed });
  await endAttempt(store, "unknown", { ...outcome, messageId: unknown });
  await endAttempt(store, "sent", { ...outcome, messageId: sent });
  await store.sends.settle([send], at(2));

  assert.equal(await store.messages.retry("acc_2", failed, { now: at(9) }), null);
  assert.equal(await store.messages.retry("acc_1", sent, { now: at(9) }), null);
  for (const id of [failed, unknown]) {
    const message = await store.messages.retry("acc_1", id, { now: at(9) });
    assert.deepEqual([message?.state, message?.finishedAt], ["deferred", null]);
    assert.equal(message?.from, send.request.from.email);
    assert.ok((message?.nextAt ?? at(9)) < at(0));
    assert.deepEqual(message?.retriedAt, at(9));
    assert.deepEqual(message?.timeline.at(-1), {
      at: at(9),
      type: "deferred",
      attempt: 1,
      detail: "Sent again on request",
    });
  }
  // They wait since then.
  const old = async (before: Date) => {
    const options = { now: at(9), before, limit: 9, except: [] };
    return (await store.waiting.overdueMessages("acc_1/1", options)).length;
  };
  assert.deepEqual([await old(at(8)), await old(at(9))], [0, 2]);
  const due = await store.sends.listToReconcile(at(9), 10);
  assert.deepEqual(due.map(({ _id, settledAt }) => [_id, settledAt]), [[send._id, null]]);
  assert.ok(await takeAttempt(store, { messageId: failed, attempt: 2 }));
});

test("retryMessage() keeps a send open that a tracker has found finished just before", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const send = testSend();
  await store.sends.accept(send);
  const failed = messageIdOf(send._id, 0);
  const retryFailed = async (attempt: number) => {
    await takeAttempt(store, { messageId: failed, attempt });
    await endAttempt(store, "failed", { messageId: failed, attempt, at: at(1), reason: "full" });
    const found = await store.sends.finished([send._id]);
    assert.equal(found.length, 1);
    assert.ok(await store.messages.retry("acc_1", failed, { now: at(2) }));
    return found;
  };
  for (const attempt of [1, 2]) {
    const found = await retryFailed(attempt);
    assert.equal(await store.sends.settle(found, at(3)), 0);
    assert.equal((await store.sends.find("acc_1", send._id))?.settledAt, null);
  }
  await takeAttempt(store, { messageId: failed, attempt: 3 });
  await endAttempt(store, "sent", { messageId: failed, attempt: 3, at: at(4) });
  assert.equal(await store.sends.settle(await store.sends.finished([send._id]), at(5)), 1);
  const settled = await store.sends.find("acc_1", send._id);
  assert.deepEqual(settled?.settledAt, at(5));
  assert.equal("reopened" in (settled ?? {}), false);
});
