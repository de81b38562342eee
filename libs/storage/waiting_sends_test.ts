import assert from "node:assert/strict";
import { test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import { examinedBy, openTestStore } from "./_test_store.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

test("waitingSends() lists sends that wait for an integration, small ones first, until all is dispatched", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const bulk = { priority: "bulk" as const, next: 0, messageCount: 30 };
  const [early, late, single, other] = [
    testSend({ ...bulk, acceptedAt: at(1) }),
    testSend({ ...bulk, acceptedAt: at(2) }),
    testSend({ next: 0, acceptedAt: at(3) }),
    testSend({ next: 0, integrationId: 2 }),
  ];
  const dispatched = testSend();
  for (const send of [early, late, single, other, dispatched]) await store.sends.accept(send);
  assert.deepEqual(await store.waiting.integrationsWaitedFor(), []);
  for (const send of [late, early, single, other, dispatched]) {
    await store.waiting.queueSend(send);
    await store.waiting.queueSend(send);
  }
  assert.deepEqual(await store.waiting.integrationsWaitedFor(), ["acc_1/1", "acc_1/2"]);
  const listed = await store.waiting.listSends("acc_1/1", { limit: 9 });
  assert.deepEqual(listed.map(({ _id, next }) => [_id, next]), [
    [single._id, 0],
    [early._id, 0],
    [late._id, 0],
  ]);
  assert.equal((await store.waiting.listSends("acc_1/1", { limit: 2 })).length, 2);
  assert.ok(!("request" in (listed[0] ?? {})));

  const [first, second] = listed;
  assert.ok(first && second);
  const advance = (send: typeof first, to: number) =>
    store.waiting.advanceSend(send, to, { reconcileAt: at(31) });
  assert.equal(await advance(second, 20), true);
  assert.equal(await advance(second, 19), false, "another leader was first");
  assert.equal(await advance(second, 20), true, "it is so");
  assert.equal(await advance(first, 1), true);
  const left = await store.waiting.listSends("acc_1/1", { limit: 9 });
  assert.deepEqual(left.map(({ _id, next, reconcileAt }) => [_id, next, reconcileAt]), [
    [early._id, 20, at(31)],
    [late._id, 0, late.reconcileAt],
  ]);
  assert.ok(left[0] && await advance(left[0], 30));
  assert.deepEqual((await store.sends.load(early._id))?.next, undefined);

  await store.messages.cancelSend("acc_1", late._id, at(9));
  assert.deepEqual(await store.waiting.listSends("acc_1/1", { limit: 9 }), []);
  const plan = JSON.stringify(
    await db.collection("sends").find({ waitsFor: "acc_1/2" }).sort({ priority: -1, acceptedAt: 1 })
      .explain("queryPlanner"),
  );
  assert.match(plan, /"indexName":"waitsFor_1_priority_-1_acceptedAt_1"/);
  assert.doesNotMatch(plan, /"stage":"SORT"/);
});

test("requeueSends() lets dispatched small sends wait again, and no other", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const to = ["ann", "bob"].map((name) => ({ email: `${name}@example.net` }));
  const small = testSend({
    ...{ acceptedAt: at(1), request: { from: { email: "shop@example.com" }, to }, messageCount: 2 },
  });
  const others = [
    testSend({ priority: "bulk" }),
    testSend({ settledAt: at(2) }),
    testSend({ next: 0, waitsUntil: at(9), notBefore: at(9) }),
  ];
  for (const send of [small, ...others]) await store.sends.accept(send);
  const requeue = (index: number, by: "mailer" | "pdf" = "mailer") =>
    store.waiting.requeueSends([
      ...[small, ...others].map(({ _id: id }) => ({ id, index: id === small._id ? index : 0, by })),
    ]);
  const waiting = async () =>
    (await store.waiting.listSends("acc_1/1", { limit: 9 })).map(({ _id, next, priority }) => {
      assert.equal(_id, small._id);
      return [next, priority];
    });
  assert.deepEqual(await requeue(1), [small._id]);
  assert.deepEqual(await requeue(1), [small._id], "it waits already");
  assert.deepEqual(await waiting(), [[1, "transactional"]]);
  assert.deepEqual(await requeue(0, "pdf"), [small._id], "an earlier recipient came back, too");
  assert.deepEqual(await waiting(), [[0, "bulk"]]);
  const [listed] = await store.waiting.listSends("acc_1/1", { limit: 9 });
  assert.ok(listed && await store.waiting.advanceSend(listed, 2, { reconcileAt: at(31) }));
  assert.deepEqual(await requeue(0), [], "it is a large one now");
});

test("listSends() lists the sends of some senders, however they write their domain", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const senders = ["a@example.com", "b@example.com", "a@Example.COM", "b@example.com"];
  const sends = senders.map((email, n) =>
    testSend({
      ...{ next: 0, acceptedAt: at(n) },
      request: { from: { email }, to: [{ email: "ann@example.net" }] },
    })
  );
  for (const send of sends) {
    await store.sends.accept(send);
    await store.waiting.queueSend(send);
  }
  const listed = async (limit: number, wanted: string[]) =>
    (await store.waiting.listSends("acc_1/1", { limit, senders: wanted })).map(({ _id }) =>
      sends.findIndex((send) => send._id === _id)
    );
  assert.deepEqual(await listed(9, ["a@example.com"]), [0, 2]);
  assert.deepEqual(await listed(1, ["c@example.com", "B@example.com"]), [1]);
  assert.deepEqual(await listed(9, []), []);
  const { executionStats, queryPlanner } = await opened.db.collection("sends").find(
    { waitsFor: "acc_1/1", "from.email": { $in: ["a@example.com", "c@example.com"] } },
    { collation: { locale: "en", strength: 2 } },
  ).sort({ priority: -1, acceptedAt: 1 }).limit(9).explain("executionStats");
  assert.doesNotMatch(JSON.stringify(queryPlanner.winningPlan), /"stage":"(SORT|COLLSCAN)"/);
  assert.equal(executionStats.totalDocsExamined, 2);
});

test("overdueSends() lists the sends that started before a time, the oldest first, also behind those that started late", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const late = [1, 2].map((n) => testSend({ next: 0, acceptedAt: at(n), notBefore: at(50) }));
  const [scheduled, old, young] = [
    testSend({ next: 0, acceptedAt: at(3), notBefore: at(20) }),
    testSend({ next: 0, acceptedAt: at(4) }),
    testSend({ next: 0, acceptedAt: at(40) }),
  ];
  for (const send of [...late, scheduled, old, young]) {
    await store.sends.accept(send);
    await store.waiting.queueSend(send);
  }
  await store.waiting.startSends({ now: at(60), reconcileAt: at(90) });
  const listed = await store.waiting.overdueSends("acc_1/1", {
    before: at(30),
    limit: 2,
    except: [],
  });
  assert.deepEqual(listed.map(({ _id }) => _id), [scheduled._id, old._id]);
});

test("listSends() reads little more than it returns, in the same order, also with hundreds of senders", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const senders = Array.from({ length: 210 }, (_, n) => `branch${n}@example.com`);
  const sends = Array.from({ length: 200 }, (_, n) =>
    testSend({
      ...{ next: 0, acceptedAt: at(n), priority: n % 50 === 9 ? "transactional" : "bulk" },
      request: {
        from: { email: senders[n % 2 === 0 ? 1 : 209] ?? "" },
        to: [{ email: "ann@example.net" }],
      },
    }));
  for (const send of sends) {
    await store.sends.accept(send);
    await store.waiting.queueSend(send);
  }
  const examined = await examinedBy(db, "sends", async () => {
    const listed = await store.waiting.listSends("acc_1/1", { limit: 9, senders });
    const places = listed.map(({ _id }) => sends.findIndex((send) => send._id === _id));
    assert.deepEqual(places, [9, 59, 109, 159, 0, 1, 2, 3, 4]);
  });
  assert.ok(examined < 50, `examined ${examined} documents`);
});

test("startSends() starts scheduled sends at their time, unless they were rescheduled or canceled", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const scheduled = (seconds: number) => testSend({ next: 0, notBefore: at(seconds) });
  const [first, second, canceled, lost] = [100, 200, 150, 100].map(scheduled);
  assert.ok(first && second && canceled && lost);
  for (const send of [first, second, canceled, lost]) await store.sends.accept(send);
  const start = (seconds: number) =>
    store.waiting.startSends({ now: at(seconds), reconcileAt: at(seconds + 60) });
  assert.equal(await start(999), 0, "nobody has said that they are accepted");
  for (const send of [first, second, canceled]) await store.waiting.queueSend(send);
  assert.deepEqual(await store.waiting.integrationsWaitedFor(), []);
  // The reconciler ignores them until they are late.
  assert.deepEqual((await store.sends.load(second._id))?.reconcileAt, at(220));
  assert.equal(await start(99), 0);

  assert.equal(await store.waiting.rescheduleSend("acc_1", first._id, at(300)), true);
  assert.equal(await store.waiting.rescheduleSend("acc_2", first._id, at(1)), false);
  // It was read before it was rescheduled.
  await store.waiting.queueSend(first);
  assert.ok(await store.messages.cancelSend("acc_1", canceled._id, at(5)));
  assert.equal(await start(250), 1);
  const [waiting, ...others] = await store.waiting.listSends("acc_1/1", { limit: 9 });
  assert.deepEqual([waiting?._id, waiting?.reconcileAt, others], [second._id, at(310), []]);
  assert.equal(waiting?.waitsUntil, undefined);
  for (const send of [second, canceled]) {
    assert.equal(await store.waiting.rescheduleSend("acc_1", send._id, at(900)), false);
  }
  await store.waiting.queueSend(second);
  assert.equal(await start(299), 0);
  assert.equal(await start(300), 1);
  const plan = await db.collection("sends").find({ waitsUntil: { $gt: new Date(0), $lte: at(9) } })
    .sort({ waitsUntil: 1 }).explain("queryPlanner");
  assert.match(JSON.stringify(plan), /"indexName":"waitsUntil_1"/);
});

test("a scheduled send is found as such, and kept at least as long as from its start", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const [send, plain] = [testSend({ next: 0, notBefore: at(600) }), testSend()];
  for (const one of [send, plain]) {
    await store.sends.accept(one);
    await store.waiting.queueSend(one);
  }
  const stateOf = async () => (await store.messages.list("acc_1", send._id))?.[0];
  assert.deepEqual([(await stateOf())?.state, (await stateOf())?.nextAt], ["scheduled", at(600)]);
  const find = async (state: "scheduled" | "queued") =>
    (await store.messages.search("acc_1", { states: [state] }, { limit: 9 })).messages
      .map(({ sendId }) => sendId);
  assert.deepEqual([await find("scheduled"), await find("queued")], [[send._id], [plain._id]]);
  const counts = await store.messages.countStates("acc_1", [send._id, plain._id]);
  const countsOf = [send, plain].map(({ _id }) => counts.get(_id));
  assert.deepEqual(countsOf, [{ scheduled: 1 }, { queued: 1 }]);
  assert.equal((await store.messages.oldestWaiting("acc_1"))?.sendId, plain._id);

  await store.waiting.startSends({ now: at(600), reconcileAt: at(660) });
  assert.deepEqual((await stateOf())?.state, "queued");
  const messageId = messageIdOf(send._id, 0);
  const found = await store.sends.identify([messageId]);
  assert.deepEqual(found.get(messageId)?.acceptedAt, at(600));
  await store.sends.settle([send, plain], at(700));
  const remove = async (seconds: number) => {
    const weekLater = at(seconds + 8 * 24 * 3600);
    const old = { before: at(seconds), limit: 9, now: weekLater };
    const contents = await store.retention.removeContents({ accountId: "acc_1", ...old });
    return [contents.removed, (await store.retention.removeOldSends(old)).removed];
  };
  assert.deepEqual(await remove(500), [1, 1], "the other send alone");
  assert.deepEqual(await remove(601), [1, 1]);
});
