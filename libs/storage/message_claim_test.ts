import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { claimOf, openTestStore, sendOf, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

test("claimMessage() gives a message to exactly one of 50 workers, with and without document", async () => {
  for (const materialized of [false, true]) {
    const send = sendOf();
    await store.acceptSend(send);
    if (materialized) await store.materializeSends([send._id]);
    const claims = await Promise.all(
      Array.from({ length: 50 }, () => store.claimMessage(claimOf(send, 0, at(10)))),
    );
    const won = claims.filter((claim) => claim.claimed);
    assert.deepEqual(won, [{ claimed: true, attempt: 1, mimeHash: null, ambiguous: false }]);
    const lost = claims.filter((claim) => !claim.claimed);
    for (const claim of lost) {
      assert.deepEqual(claim, { claimed: false, state: "sending", attempt: 1 });
    }
    const message = await store.findMessage(send.accountId, messageIdOf(send._id, 0));
    assert.deepEqual(message?.timeline.map(({ type, attempt }) => [type, attempt]), [
      ["queued", 0],
      ["sending", 1],
    ]);
  }
});

test("claimMessage() wins against documents that are written at the same time", async () => {
  const send = sendOf({ messageCount: 100 });
  await store.acceptSend(send);
  const claiming = Promise.all(
    send.request.to.map((_, index) => store.claimMessage(claimOf(send, 0, at(10), index))),
  );
  await store.materializeSends([send._id]);
  assert.deepEqual((await claiming).filter((claim) => !claim.claimed), []);
  const messages = await store.listMessages(send.accountId, send._id);
  assert.deepEqual(new Set(messages?.map(({ timeline }) => timeline.length)), new Set([2]));
  assert.deepEqual(messages?.map(({ email }) => email), send.request.to.map(({ email }) => email));
});

test("claimMessage() refuses a stale attempt, another account, and one that was never heard of", async () => {
  const send = sendOf();
  assert.equal((await store.claimMessage(claimOf(send, 0, at(1)))).claimed, true);
  const messageId = messageIdOf(send._id, 0);
  const [reason, nextAt] = ["busy", at(60)];
  await store.markDeferred({ messageId, attempt: 1, at: at(2), reason, nextAt });
  assert.deepEqual(await store.claimMessage(claimOf(send, 0, at(3))), {
    claimed: false,
    state: "deferred",
    attempt: 1,
  });
  const foreign = { ...claimOf(send, 1, at(3)), accountId: "acc_2" };
  assert.equal((await store.claimMessage(foreign)).claimed, false);
  assert.equal((await store.claimMessage({ ...foreign, attempt: 0 })).claimed, false);
  assert.deepEqual(await store.claimMessage(claimOf(sendOf(), 3, at(3))), {
    claimed: false,
    state: undefined,
    attempt: 0,
  });
  const again = await store.claimMessage(claimOf(send, 1, at(4)));
  assert.deepEqual(again, { claimed: true, attempt: 2, mimeHash: null, ambiguous: false });
});

test("claimMessage() gives a message again when the lease has run out, not before", async () => {
  const send = sendOf();
  await store.claimMessage(claimOf(send, 0, at(0)));
  const messageId = messageIdOf(send._id, 0);
  assert.equal((await store.claimMessage(claimOf(send, 1, at(60)))).claimed, false);
  assert.deepEqual(await store.claimMessage(claimOf(send, 1, at(61))), {
    claimed: true,
    attempt: 2,
    mimeHash: null,
    ambiguous: false,
  });
  const reply = { code: 250, response: "250 OK" };
  assert.equal(await store.markSent({ messageId, attempt: 1, at: at(62), reply }), false);
  assert.equal(await store.markSent({ messageId, attempt: 2, at: at(63), reply }), true);
  assert.equal((await store.claimMessage(claimOf(send, 2, at(999)))).claimed, false);
});

test("confirmDot() holds for the claim that holds, once the ledger has it, and lengthens it", async () => {
  const send = sendOf();
  await store.claimMessage(claimOf(send, 0, at(0)));
  const messageId = messageIdOf(send._id, 0);
  const dot = { messageId, attempt: 1, now: at(59), leaseUntil: at(500) };
  assert.equal(await store.confirmDot({ ...dot, now: at(60) }), false);
  assert.equal(await store.confirmDot({ ...dot, attempt: 2 }), false);
  assert.equal(await store.confirmDot(dot), true);
  const read = () => store.findMessage(send.accountId, messageId);
  assert.deepEqual([(await read())?.dotAt, (await read())?.leaseUntil], [at(59), at(500)]);
  assert.equal((await store.claimMessage(claimOf(send, 1, at(500)))).claimed, false);
  assert.deepEqual(await store.claimMessage(claimOf(send, 1, at(501))), {
    claimed: true,
    attempt: 2,
    mimeHash: null,
    ambiguous: true,
  });
  assert.equal(await store.confirmDot({ ...dot, now: at(502) }), false);
  // The worker that took over is lost before it has noted the doubt: it is told again.
  const third = await store.claimMessage(claimOf(send, 2, at(600)));
  assert.deepEqual([third.claimed, third.attempt, third.claimed && third.ambiguous], [
    true,
    3,
    true,
  ]);
  await store.noteAmbiguity({ messageId, attempt: 2, at: at(601), reason: "who knows" });
  assert.equal((await read())?.dotAt, null);
  assert.equal((await read())?.timeline.filter(({ ambiguous }) => ambiguous).length, 1);
  const fourth = await store.claimMessage(claimOf(send, 3, at(700)));
  assert.deepEqual([fourth.claimed, fourth.claimed && fourth.ambiguous], [true, false]);
});

test("confirmDot() and markSent() tell apart whose write holds when many come at once", async () => {
  const send = sendOf({ messageCount: 60 });
  const claimed = send.request.to.map((_, index) => index).filter((index) => index % 3 > 0);
  await Promise.all(claimed.map((index) => store.claimMessage(claimOf(send, 0, at(0), index))));
  const idOf = (index: number) => messageIdOf(send._id, index);
  const dots = await Promise.all(
    send.request.to.map((_, index) =>
      store.confirmDot({ messageId: idOf(index), attempt: 1, now: at(1), leaseUntil: at(90) })
    ),
  );
  assert.deepEqual(dots, send.request.to.map((_, index) => index % 3 > 0));
  const sent = await Promise.all(
    send.request.to.map((_, index) =>
      store.markSent({ messageId: idOf(index), attempt: index % 3, at: at(2) })
    ),
  );
  assert.deepEqual(sent, send.request.to.map((_, index) => index % 3 === 1));
});

test("markSent() writes outcome and timeline once, however often it is called", async () => {
  const send = sendOf();
  const messageId = messageIdOf(send._id, 0);
  await store.claimMessage(claimOf(send, 0, at(0)));
  const reply = { code: 250, enhanced: "2.0.0", response: "250 2.0.0 queued as 1" };
  const outcome = { messageId, attempt: 1, at: at(1), reply, durationMs: 12.5, mimeHash: "abc" };
  assert.equal(await store.markSent(outcome), true);
  assert.equal(await store.markSent(outcome), true);
  assert.equal(await store.markFailed({ ...outcome, reason: "late" }), false);
  const message = await store.findMessage(send.accountId, messageId);
  assert.deepEqual(
    { ...message, timeline: message?.timeline.slice(2) },
    {
      _id: messageId,
      sendId: send._id,
      accountId: send.accountId,
      index: 0,
      email: "r0@example.com",
      state: "sent",
      attempt: 1,
      leaseUntil: null,
      dotAt: null,
      nextAt: null,
      parkedFor: null,
      releasedFor: null,
      acceptedAt: send.acceptedAt,
      finishedAt: at(1),
      reason: null,
      reply,
      mimeHash: "abc",
      timeline: [
        { at: at(1), type: "sent", attempt: 1, durationMs: 12.5, detail: "250 2.0.0 queued as 1" },
      ],
    },
  );
});

test("markDeferred(), markFailed() and markUnknown() say why and when, and keep the hash", async () => {
  const send = sendOf();
  const messageId = messageIdOf(send._id, 0);
  const read = () => store.findMessage(send.accountId, messageId);
  await store.claimMessage(claimOf(send, 0, at(0)));
  const reply = { code: 451 };
  const setback = { messageId, attempt: 1, at: at(1), reason: "the mailbox is busy", reply };
  assert.ok(await store.markDeferred({ ...setback, nextAt: at(90), mimeHash: "abc" }));
  const deferred = await read();
  assert.deepEqual(
    [deferred?.state, deferred?.nextAt, deferred?.reason, deferred?.finishedAt, deferred?.reply],
    ["deferred", at(90), "the mailbox is busy", null, reply],
  );
  const claim = await store.claimMessage(claimOf(send, 1, at(90)));
  assert.deepEqual(claim, { claimed: true, attempt: 2, mimeHash: "abc", ambiguous: false });
  assert.equal((await read())?.nextAt, null);
  assert.ok(await store.markUnknown({ messageId, attempt: 2, at: at(91), reason: "line cut" }));
  const unknown = await read();
  assert.deepEqual([unknown?.state, unknown?.mimeHash, unknown?.finishedAt], [
    "unknown",
    "abc",
    null,
  ]);
  assert.equal((await store.claimMessage(claimOf(send, 2, at(999)))).claimed, false);

  const other = sendOf();
  await store.claimMessage(claimOf(other, 0, at(0)));
  const failure = { messageId: messageIdOf(other._id, 0), attempt: 1, at: at(1), reason: "no" };
  assert.ok(await store.markFailed(failure));
  const failed = await store.findMessage(other.accountId, failure.messageId);
  assert.deepEqual([failed?.state, failed?.reason, failed?.finishedAt], ["failed", "no", at(1)]);
  assert.equal(failed?.timeline.at(-1)?.detail, "no");
});
