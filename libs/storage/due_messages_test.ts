import assert from "node:assert/strict";
import { test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { advance, beginVoid } from "@posthaste/delivery";
import { endAttempt, testSend, voidAttempt } from "@posthaste/kit";
import { examinedBy, openTestStore, postponementOf } from "./_test_store.ts";
import { identityOf } from "./message_identity.ts";
import type { AttemptOutcome } from "./stored_register.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

test("dueMessages() lists the due messages of each integration, the longest due first", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const [one, other] = [testSend({ messageCount: 5 }), testSend({ integrationId: 2 })];
  for (const send of [one, other]) await store.sends.accept(send);
  const idOf = (index: number) => messageIdOf(one._id, index);
  const defer = (messageId: string, nextAt: Date) =>
    voidAttempt(store, "deferred", { messageId, attempt: 1, at: at(1), reason: "busy", nextAt });
  await defer(idOf(0), at(30));
  await defer(idOf(1), at(20));
  await defer(idOf(2), at(90));
  await defer(messageIdOf(other._id, 0), at(60));
  // This one was never attempted.
  const postponement = postponementOf(one, {
    index: 3,
    now: at(2),
    nextAt: at(10),
    reason: "its images",
  });
  assert.equal(await store.waiting.postponeMessage(postponement), true);
  assert.equal(await store.waiting.postponeMessage(postponement), true);

  assert.deepEqual(await store.waiting.integrationsDue(at(5)), []);
  assert.deepEqual(await store.waiting.integrationsDue(at(30)), ["acc_1/1"]);
  assert.deepEqual((await store.waiting.integrationsDue(at(60))).toSorted(), [
    "acc_1/1",
    "acc_1/2",
  ]);
  const due = await store.waiting.dueMessages("acc_1/1", { now: at(60), limit: 9 });
  assert.deepEqual(due.map(({ index, attempt }) => [index, attempt]), [[3, 0], [1, 1], [0, 1]]);
  assert.equal((await store.waiting.dueMessages("acc_1/1", { now: at(60), limit: 2 })).length, 2);

  await endAttempt(store, "sent", { messageId: idOf(1), attempt: 2, at: at(61) });
  // A message that waits for its integration has been due since it was returned.
  const suspended = { at: at(62), reason: "login refused", waitsFor: "acc_1/1" };
  await voidAttempt(store, "deferred", { messageId: idOf(0), attempt: 2, ...suspended });
  const left = await store.waiting.dueMessages("acc_1/1", { now: at(62), limit: 9 });
  assert.deepEqual(left.map(({ index, nextAt }) => [index, nextAt]), [[3, at(10)], [0, at(62)]]);
  const plan = JSON.stringify(
    await db.collection("messages").find({
      integration: "acc_1/1",
      nextAt: { $gt: new Date(0), $lte: at(60) },
    }).sort({ nextAt: 1 }).explain("queryPlanner"),
  );
  assert.match(plan, /"indexName":"integration_1_nextAt_1"/);
});

test("dueMessages() finds those that others may send by an index, however many wait before them", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const send = testSend({ messageCount: 5 });
  await store.sends.accept(send);
  const due = { state: "deferred", attempt: 1, at: at(1), nextAt: at(2) } as const;
  for (const [index, from] of ["a@Example.com", "b@example.com", undefined].entries()) {
    const identity = identityOf(send, index);
    assert.ok(identity);
    const outcome: AttemptOutcome = { ...due, reason: "busy", lines: [] };
    const ledger = store.registers.ledgerOf({ ...identity, from });
    await advance(beginVoid({ n: 1, by: "test", outcome }), ledger);
  }
  const found = async (senders: string[] | null) => {
    const options = { now: at(9), limit: 9, senders };
    return (await store.waiting.dueMessages("acc_1/1", options)).map(({ index }) => index);
  };
  assert.deepEqual(await found(["A@EXAMPLE.com"]), [0]);
  // An earlier version kept the case of the local part.
  await db.collection("messages").updateOne({ index: 1 }, { $set: { from: "B@example.com" } });
  assert.deepEqual(await found(["B@Example.com"]), [1]);
  assert.deepEqual(await found(null), [2]);
  assert.equal((await store.waiting.dueMessages("acc_1/1", { now: at(9), limit: 9 })).length, 3);
  const plan = JSON.stringify(
    await db.collection("messages").find({
      ...{ integration: "acc_1/1", nextAt: { $gt: new Date(0), $lte: at(9) } },
      from: { $in: ["a@example.com", null] },
    }).sort({ nextAt: 1 }).limit(9).explain("queryPlanner"),
  );
  assert.match(plan, /"stage":"SORT_MERGE".*"indexName":"integration_1_from_1_nextAt_1"/);
});

test("integrationsDue() reads one key of each integration, however many messages are planned", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  await db.collection<{ _id: string }>("messages").insertMany(
    Array.from({ length: 1000 }, (_, n) => ({
      ...{ _id: `msg_${n}`, accountId: "acc_1", integration: `acc_1/${n % 5}`, state: "deferred" },
      ...{ attempt: 1, acceptedAt: at(n), nextAt: at(1000 - n) },
    })),
  );
  for (const what of ["docsExamined", "keysExamined"] as const) {
    const examined = await examinedBy(db, "messages", async () => {
      assert.deepEqual((await store.waiting.integrationsDue(at(2))).toSorted(), [
        ...["acc_1/3", "acc_1/4"],
      ]);
    }, what);
    assert.ok(examined <= 10, `${examined} ${what}`);
  }
});

test("dueMessages() reads little more than it returns, in the same order, also with hundreds of senders", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const senders = Array.from({ length: 210 }, (_, n) => `branch${n}@example.com`);
  const send = testSend({ messageCount: 300 });
  await store.sends.accept(send);
  const due = { state: "deferred", at: at(1), reason: "busy" } as const;
  await Promise.all(Array.from({ length: 300 }, async (_, index) => {
    const identity = identityOf(
      { ...send, request: { ...send.request, to: Array(300).fill({ email: "a@example.net" }) } },
      index,
    );
    assert.ok(identity);
    // Before them wait those of another sender.
    const from = index < 200 ? "others@example.com" : senders[index % 2 === 0 ? 1 : 209];
    const ledger = store.registers.ledgerOf({ ...identity, from });
    const outcome: AttemptOutcome = { ...due, nextAt: at(index), lines: [] };
    await advance(beginVoid({ n: 1, by: "test", outcome }), ledger);
  }));
  const examined = await examinedBy(db, "messages", async () => {
    const options = { now: at(999), limit: 9, senders };
    const found = await store.waiting.dueMessages("acc_1/1", options);
    assert.deepEqual(found.map(({ index }) => index - 200), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
  assert.ok(examined < 50, `examined ${examined} documents`);
  for (const what of ["docsExamined", "keysExamined"] as const) {
    const examined = await examinedBy(db, "messages", async () => {
      const options = { now: at(999), limit: 9, recipients: 3 };
      const found = await store.waiting.dueMessages("acc_1/1", options);
      assert.deepEqual(found.map(({ index }) => index), [0, 1, 2]);
    }, what);
    assert.ok(examined <= 6, `${examined} ${what}`);
  }
});

test("overdueMessages() finds those that have waited since before a time, the oldest first, by an index", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const sends = [3, 2, 8, 1, 1].map((seconds, n) =>
    testSend({
      acceptedAt: at(seconds),
      request: { from: { email: `a${n}@example.com` }, to: [{ email: "ann@example.net" }] },
    })
  );
  const due = {
    state: "deferred",
    at: at(9),
    nextAt: at(9),
    reason: "busy",
    lines: [] as [],
  } as const;
  for (const [n, send] of sends.entries()) {
    await store.sends.accept(send);
    const identity = identityOf(send, 0);
    assert.ok(identity);
    const outcome: AttemptOutcome = { ...due, ...(n === 3 ? { unknownAttempt: 1 } : {}) };
    await advance(beginVoid({ n: 1, by: "test", outcome }), store.registers.ledgerOf(identity));
  }
  const found = async (...except: string[]) => {
    const options = { now: at(9), before: at(5), limit: 9, except };
    const old = await store.waiting.overdueMessages("acc_1/1", options);
    return old.map(({ sendId }) => sends.findIndex(({ _id }) => _id === sendId));
  };
  assert.deepEqual(new Set(await found()), new Set([3, 4, 1, 0]));
  // Only its own integration tries again what may have arrived.
  assert.deepEqual(await found("A1@example.com", "a3@example.com", "a4@example.com"), [3, 0]);
  await store.messages.retry("acc_1", messageIdOf(sends[0]?._id ?? "", 0), { now: at(8) });
  assert.deepEqual(await found("a1@example.com", "a4@example.com"), [3]);
  const plan = JSON.stringify(
    await db.collection("messages").find({
      ...{ integration: "acc_1/1", nextAt: { $gt: new Date(0), $lte: at(9) } },
      ...{ acceptedAt: { $lte: at(5) }, retriedAt: { $not: { $gt: at(5) } } },
    }).sort({ acceptedAt: 1 }).limit(9).explain("queryPlanner"),
  );
  assert.match(plan, /"indexName":"integration_1_acceptedAt_1_nextAt_1"/);
});
