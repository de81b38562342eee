import { messageIdOf, newSendId, type Send } from "@posthaste/contracts";
import { losingWrites, takeAttempt } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { failOverdue } from "./fail_overdue.ts";
import { ago, circuitOf, HOUR, NOW, openTestScheduler, SHOP, STOPPED } from "./_test_scheduler.ts";

const OLD = { acceptedAt: ago(48 * HOUR) };
const NEWS = { from: { email: "news@example.com" } };

/** Lets attempts of a send come back, one of each message. */
function returnAll(
  { flow }: Pick<Awaited<ReturnType<typeof openTestScheduler>>, "flow">,
  { _id: sendId, acceptedAt, messageCount }: Send,
  attempt = 0,
) {
  for (let index = 0; index < messageCount; index++) {
    const messageId = messageIdOf(sendId, index);
    const returned = { messageId, attempt, sendId, index, acceptedAt };
    flow.keepReturned("acc_1/4", returned, { isServerBusy: false });
  }
}

test("failOverdue() fails what has waited for the maximum time for a stopped integration, and keeps the rest", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  const { store } = scheduler;
  const almost = { acceptedAt: ago(48 * HOUR - 1) };
  const kept = [await scheduler.wait(almost), await scheduler.defer(almost)];
  const returned = [await scheduler.accept(OLD), await scheduler.accept(almost)];
  for (const send of returned) returnAll(scheduler, send);
  const old = [await scheduler.wait(OLD), await scheduler.defer(OLD), returned[0]];
  await scheduler.failOverdue();
  assert.deepEqual(new Set(scheduler.takeFailed()), new Set(old.map((send) => send?._id)));
  for (const send of old) {
    const message = await store.messages.find("acc_1", messageIdOf(send?._id ?? "", 0));
    assert.equal(message?.state, "failed");
    assert.equal(message?.reason, "The integration is suspended: no login; retries ended");
  }
  for (const { _id } of kept) {
    const message = await store.messages.find("acc_1", messageIdOf(_id, 0));
    assert.notEqual(message?.state, "failed");
  }
  assert.deepEqual(scheduler.flow.returned("acc_1/4").map(({ sendId }) => sendId), [
    returned[1]?._id,
  ]);
});

test("failOverdue() leaves a message alone whose next attempt is in flight, or another process makes it", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  const inFlight = await scheduler.defer(OLD);
  scheduler.flow.begin("acc_1/4", { messageId: messageIdOf(inFlight._id, 0), attempt: 1 });
  const { _id } = await scheduler.defer(OLD);
  const messageId = messageIdOf(_id, 0);
  assert.ok(await takeAttempt(scheduler.store, { messageId, attempt: 2 }));
  await scheduler.failOverdue();
  assert.deepEqual(scheduler.takeFailed(), []);
});

test("failOverdue() fails a large send in parts", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  const { _id } = await scheduler.wait({ ...OLD, messageCount: 620 });
  await scheduler.failOverdue();
  assert.equal((await scheduler.store.sends.load(_id))?.next, 500);
  // The next round goes on with it.
  await scheduler.failOverdue();
  const send = await scheduler.store.sends.load(_id);
  assert.deepEqual([send?.next, send?.waitsFor], [undefined, undefined]);
});

test("failOverdue() fails nothing while an integration only has no room, or a server is probed", async () => {
  const circuits = [circuitOf(4, NOW)];
  const integrations = [{ id: 4, maxPerMinute: 1 }];
  for (const options of [{}, { circuits }]) {
    await using scheduler = await openTestScheduler(integrations, options);
    for (const work of [scheduler.wait, scheduler.defer, scheduler.accept]) {
      returnAll(scheduler, await work(OLD));
    }
    await scheduler.failOverdue();
    assert.deepEqual(scheduler.takeFailed(), []);
  }
});

test("failOverdue() fails nothing that a fallback takes, or will take, and that hides nothing", async () => {
  const states = [{}, { circuits: [circuitOf(5, NOW)] }];
  for (const state of states) {
    await using scheduler = await openTestScheduler([
      { id: 4, fallbacks: [5], senders: [SHOP, NEWS.from.email], ...STOPPED },
      { id: 5, senders: ["News@example.com"], maxPerMinute: 1 },
    ], state);
    const older = { ...NEWS, acceptedAt: ago(49 * HOUR) };
    await scheduler.waitMany(501, older);
    await scheduler.defer({ ...older, messageCount: 501 });
    returnAll(scheduler, await scheduler.accept({ ...older, messageCount: 9 }));
    const stuck = [await scheduler.wait(OLD), await scheduler.defer(OLD)];
    await scheduler.failOverdue();
    assert.deepEqual(new Set(scheduler.takeFailed()), new Set(stuck.map(({ _id }) => _id)));
  }
});

test("failOverdue() finds what has waited too long behind any number that has not", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  await scheduler.defer({ messageCount: 300, acceptedAt: ago(2 * HOUR), nextAt: ago(HOUR) });
  // Accepted a week ago for an hour ago.
  const late = { acceptedAt: ago(7 * 24 * HOUR), notBefore: ago(HOUR) };
  await scheduler.waitMany(501, late);
  await scheduler.store.waiting.startSends({ now: NOW, reconcileAt: NOW });
  const old = [await scheduler.defer(OLD), await scheduler.wait(OLD)];
  await scheduler.failOverdue();
  assert.deepEqual(new Set(scheduler.takeFailed()), new Set(old.map(({ _id }) => _id)));
});

test("failOverdue() counts from the time at which a person sent a message again, also when its attempt came back", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  const send = await scheduler.defer(OLD);
  const messageId = messageIdOf(send._id, 0);
  assert.ok(await scheduler.store.messages.retry("acc_1", messageId, { now: NOW }));
  returnAll(scheduler, send, 1);
  await scheduler.failOverdue();
  assert.deepEqual(scheduler.takeFailed(), []);
  scheduler.pass(48 * HOUR);
  await scheduler.failOverdue();
  assert.deepEqual(scheduler.takeFailed(), [send._id]);
});

test("failOverdue() fails some 500 messages in a round, of all integrations, and goes on in the next", async () => {
  const ids = [4, 5, 6];
  await using scheduler = await openTestScheduler(ids.map((id) => ({ id, ...STOPPED })));
  for (const integrationId of ids) {
    await scheduler.defer({ ...OLD, integrationId, messageCount: 150 });
    await scheduler.wait({ ...OLD, integrationId, messageCount: 100 });
  }
  const counts: number[] = [];
  for (let round = 0; round < 3; round++) {
    await scheduler.failOverdue();
    counts.push(scheduler.takeFailed().length);
  }
  assert.deepEqual(counts, [500, 250, 0]);
});

test("failOverdue() fails the mail of each integration before more of the one that has most", async () => {
  const ids = Array.from({ length: 12 }, (_, index) => index + 1);
  await using scheduler = await openTestScheduler(ids.map((id) => ({ id, ...STOPPED })));
  const large = await scheduler.defer({ ...OLD, integrationId: 1, messageCount: 1500 });
  for (const integrationId of ids.slice(1)) await scheduler.defer({ ...OLD, integrationId });
  const firstRounds = new Set<string>();
  for (let round = 0; round < 3; round++) {
    await scheduler.failOverdue();
    for (const sendId of scheduler.takeFailed()) firstRounds.add(sendId);
  }
  assert.equal(firstRounds.size, 12);
  assert.ok(firstRounds.has(large._id));
});

/** Opens a scheduler for many suspended integrations that mail waits for, and records which are searched. */
async function openSearch(count: number) {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const scheduler = await openTestScheduler(ids.map((id) => ({ id, ...STOPPED })));
  const { waiting } = scheduler.deps;
  const searched: string[] = [];
  waiting.integrationsWaitedFor = () => Promise.resolve(ids.map((id) => `acc_1/${id}`));
  waiting.overdueSends = (key) => {
    searched.push(key);
    return Promise.resolve([]);
  };
  return Object.assign(scheduler, { searched });
}

test("failOverdue() searches the mail of an integration every ten seconds", async () => {
  await using scheduler = await openSearch(1);
  for (const ms of [0, 9999, 1]) {
    scheduler.pass(ms);
    assert.equal(await scheduler.failOverdue(), true);
  }
  assert.equal(scheduler.searched.length, 2);
});

test("failOverdue() searches ten integrations in a round, those first that were not searched for longest", async () => {
  await using scheduler = await openSearch(25);
  const counts: number[] = [];
  for (let round = 0; round < 4; round++) {
    await scheduler.failOverdue();
    counts.push(scheduler.searched.length);
  }
  assert.deepEqual(counts, [10, 20, 25, 25]);
  assert.equal(new Set(scheduler.searched).size, 25);
});

test("failOverdue() fails the rest of an integration's mail if one send of it cannot be failed", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  const { sends } = scheduler.deps;
  const { identify } = sends;
  const broken = await scheduler.accept(OLD);
  returnAll(scheduler, broken);
  const others = [
    await scheduler.accept(OLD),
    await scheduler.defer(OLD),
    await scheduler.wait(OLD),
  ];
  if (others[0]) returnAll(scheduler, others[0]);
  sends.identify = (ids) =>
    ids.includes(messageIdOf(broken._id, 0))
      ? Promise.reject(new Error("cannot be read"))
      : identify(ids);
  await assert.rejects(scheduler.failOverdue(), /cannot be read/);
  assert.deepEqual(new Set(scheduler.takeFailed()), new Set(others.map(({ _id }) => _id)));
  // It is tried again.
  assert.deepEqual(scheduler.flow.returned("acc_1/4").map(({ sendId }) => sendId), [broken._id]);
});

test("failOverdue() forgets returned attempts of sends that were removed", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  const removed = { ...await scheduler.accept(OLD), _id: newSendId("acc_1", OLD.acceptedAt) };
  returnAll(scheduler, removed);
  await scheduler.failOverdue();
  assert.deepEqual(scheduler.flow.integrationsReturned(), []);
});

test("failOverdue() finds what is stuck among returned attempts behind any number that a fallback takes", async () => {
  await using scheduler = await openTestScheduler([
    { id: 4, fallbacks: [5], senders: [SHOP, NEWS.from.email], ...STOPPED },
    // It takes one each minute.
    { id: 5, senders: [NEWS.from.email], maxPerMinute: 1 },
  ]);
  returnAll(scheduler, await scheduler.accept({ ...OLD, ...NEWS, messageCount: 501 }));
  const stuck = await scheduler.accept(OLD);
  returnAll(scheduler, stuck);
  await scheduler.failOverdue();
  assert.deepEqual(scheduler.takeFailed(), [stuck._id]);
});

test("failOverdue() reports what it has failed if a write is lost, and completes that one in its next round", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  const { deps, store } = scheduler;
  const { _id } = await scheduler.defer({ ...OLD, messageCount: 3 });
  const lost = messageIdOf(_id, 1);
  const ledgerOf = losingWrites(store.registers.ledgerOf, (messageId) => messageId === lost);
  deps.registers = { ...store.registers, ledgerOf };
  await assert.rejects(scheduler.failOverdue(), /connection closed/);
  assert.equal(scheduler.takeFailed().length, 2);
  scheduler.pass(10_000);
  await scheduler.failOverdue();
  assert.equal(scheduler.takeFailed().length, 1);
  assert.equal((await store.messages.find("acc_1", lost))?.state, "failed");
});

test("failOverdue() goes on after the ledger's clock was set back", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  await scheduler.defer();
  await scheduler.failOverdue();
  const old = { acceptedAt: ago(49 * HOUR), nextAt: ago(HOUR) };
  const { _id } = await scheduler.defer(old);
  scheduler.pass(-20 * 60_000);
  await scheduler.failOverdue();
  assert.deepEqual(scheduler.takeFailed(), [_id]);
});

test("failOverdue() searches no further integration after its signal has aborted", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, ...STOPPED }]);
  await scheduler.defer(OLD);
  const ending = new AbortController();
  const { list } = scheduler.deps.circuits;
  scheduler.deps.circuits.list = () => {
    ending.abort();
    return list();
  };
  const { deps, flow } = scheduler;
  await failOverdue(deps, { flow, searches: new Map(), signal: ending.signal });
  assert.deepEqual(scheduler.takeFailed(), []);
});
