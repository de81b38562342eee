import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { messageIdOf, type Send } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { ContentRemovedError } from "./message_retry.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;
const now = new Date("2026-03-20T12:00:00Z");
const before7 = new Date(now.getTime() - 7 * DAY_MS);

/** Accepts a send that failed, with variables at every level. */
async function failedSend(accountId: string, acceptedAt: Date, idempotencyKey?: string) {
  const send = testSend({
    accountId,
    acceptedAt,
    ...(idempotencyKey ? { idempotency: { key: idempotencyKey, bodyHash: "h" } } : {}),
    request: {
      from: { email: "shop@example.com", name: "Shop" },
      to: [{
        email: "ann@example.com",
        name: "Ann",
        variables: { secret: "one" },
        attachments: [{ id: 3, filename: "invoice.pdf", variables: { secret: "two" } }],
      }],
      variables: { secret: "three" },
    },
  });
  await store.sends.accept(send);
  await takeAttempt(store, { messageId: messageIdOf(send._id, 0), attempt: 1 });
  const messageId = messageIdOf(send._id, 0);
  await endAttempt(store, "failed", { messageId, attempt: 1, at: acceptedAt, reason: "no" });
  return { send, messageId };
}

const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
const remove = (accountId: string, limit = 50) =>
  store.retention.removeContents({ accountId, before: before7, limit, now });

test("removeContents() removes variables of all levels and keeps the recipients", async () => {
  const { send } = await failedSend("acc_levels", daysAgo(8), "key");
  await store.sends.settle([send], now);
  assert.deepEqual(await remove("acc_levels"), { removed: 1, hasMore: false });
  const found = await store.sends.find("acc_levels", send._id);
  assert.deepEqual(found?.contentRemovedAt, now);
  assert.deepEqual(found?.request, {
    from: { email: "shop@example.com", name: "Shop" },
    to: [{
      email: "ann@example.com",
      name: "Ann",
      attachments: [{ id: 3, filename: "invoice.pdf" }],
    }],
  });
  const raw = JSON.stringify(
    await opened.db.collection("sends").find({ accountId: "acc_levels" }).toArray(),
  );
  assert.doesNotMatch(raw, /secret/);
  // The answer to a repeated request has the same content.
  const again = await store.sends.findByIdempotencyKey("acc_levels", "key");
  assert.deepEqual(again?.request.to.map(({ email }) => email), ["ann@example.com"]);
});

test("removeContents() keeps younger sends, and those of other accounts", async () => {
  const young = await failedSend("acc_young", daysAgo(6));
  const other = await failedSend("acc_other", daysAgo(30));
  await store.sends.settle([young.send, other.send], now);
  assert.deepEqual(await remove("acc_young"), { removed: 0, hasMore: false });
  for (const { send } of [young, other]) {
    const found = await store.sends.find(send.accountId, send._id);
    assert.deepEqual(found?.request.variables, { secret: "three" });
  }
});

test("removeContents() waits until a send is settled, and strips it later", async () => {
  const { send } = await failedSend("acc_late", daysAgo(9));
  assert.deepEqual(await remove("acc_late"), { removed: 0, hasMore: false });
  await store.sends.settle([send], now);
  assert.deepEqual(await remove("acc_late"), { removed: 1, hasMore: false });
  const found = await store.sends.find("acc_late", send._id);
  assert.equal(found?.request.variables, undefined);
  assert.equal("contentDue" in (found ?? {}), false);
});

test("removeContents() continues where it ended", async () => {
  const sends: Send[] = [];
  for (const days of [12, 11, 10]) sends.push((await failedSend("acc_row", daysAgo(days))).send);
  await store.sends.settle(sends, now);
  assert.deepEqual(await remove("acc_row", 2), { removed: 2, hasMore: true });
  assert.deepEqual(await remove("acc_row", 2), { removed: 1, hasMore: false });
  assert.deepEqual(await remove("acc_row", 2), { removed: 0, hasMore: false });
});

test("retryMessage() refuses a message whose content is gone, and returns since when", async () => {
  const { send, messageId } = await failedSend("acc_retry", daysAgo(8));
  await store.sends.settle([send], now);
  await remove("acc_retry");
  await assert.rejects(store.messages.retry("acc_retry", messageId, { now }), (error) => {
    assert.ok(error instanceof ContentRemovedError);
    assert.match(error.message, /content was removed on 2026-03-20/);
    return true;
  });
  const found = await store.messages.find("acc_retry", messageId);
  assert.equal(found?.state, "failed");
  const [head] = await store.sends.heads([send._id]);
  assert.deepEqual(head?.settledAt, now);
  assert.equal(await store.sends.load(send._id), null, "no worker may fill it without variables");
});

test("removeContents() keeps the content of a send that is being retried", async () => {
  const { send, messageId } = await failedSend("acc_again", daysAgo(8));
  await store.sends.settle([send], now);
  assert.equal((await store.messages.retry("acc_again", messageId, { now }))?.state, "deferred");
  assert.deepEqual(await remove("acc_again"), { removed: 0, hasMore: false });
  assert.ok(await store.sends.load(send._id));
});
