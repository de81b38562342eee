import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Batch, messageIdOf, newId, type Send } from "@posthaste/contracts";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { batchOf, openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => void (opened = await openTestStore()));
after(() => opened[Symbol.asyncDispose]());

const NOW = new Date("2026-01-01T01:00:00Z");
const LATER = new Date("2026-01-01T02:00:00Z");
const TIMES = { now: NOW, reconcileAt: LATER };

async function openBatch(
  changes: Partial<Batch> = {},
  counts: number[] = [2, 2, 2],
): Promise<{ batch: Batch; parts: Send[] }> {
  const { batches, sends } = opened.store;
  const batch = batchOf({ accountId: newId("acc"), ...changes });
  await batches.create(batch, undefined);
  const { _id: batchId, accountId } = batch;
  const parts: Send[] = [];
  for (const [n, messageCount] of counts.entries()) {
    const acceptedAt = new Date(batch.createdAt.getTime() + n);
    const part = testSend({ accountId, batchId, messageCount, acceptedAt, next: 0, held: true });
    await sends.accept(part);
    parts.push(part);
  }
  return { batch, parts };
}

async function waitingOf({ accountId }: Batch): Promise<string[]> {
  return (await opened.store.waiting.listSends(`${accountId}/1`, { limit: 99 })).map(({ _id }) =>
    _id
  );
}

test("a held send starts neither by the scheduler, the reconciler nor a new start", async () => {
  const { waiting } = opened.store;
  const { batch, parts: [part] } = await openBatch();
  assert.ok(part);
  await waiting.queueSend(part);
  await waiting.queueSend({ ...part, notBefore: NOW });
  await waiting.startSends({ now: new Date("2027-01-01T00:00:00Z"), reconcileAt: NOW });
  assert.equal(await waiting.rescheduleSend(batch.accountId, part._id, NOW), false);
  assert.deepEqual(await waitingOf(batch), []);
  const message = await opened.store.messages.find(batch.accountId, messageIdOf(part._id, 0));
  assert.equal(message?.state, "scheduled");
  const { states } = await opened.store.batches.count(batch.accountId, batch._id, 1000);
  assert.deepEqual(states, { scheduled: 6 });
});

test("batches.nextPart() returns sends in their order, within its limits", async () => {
  const { batches } = opened.store;
  const { batch, parts } = await openBatch({}, [5, 5, 1]);
  const ids = parts.map(({ _id }) => _id);
  const limits = { sends: 9, messages: 3 };
  assert.deepEqual(await batches.nextPart(batch, limits), { ids: [ids[0]], isLast: false });
  const rest = { ...batch, progress: ids[0] ?? "" };
  assert.deepEqual(await batches.nextPart(rest, { ...limits, messages: 6 }), {
    ...{ ids: ids.slice(1), isLast: true },
  });
  assert.deepEqual(await batches.nextPart(batch, { sends: 2, messages: 99 }), {
    ...{ ids: ids.slice(0, 2), isLast: false },
  });
});

test("batches.release() starts held sends, each once, and nothing that was canceled", async () => {
  const { batches, messages } = opened.store;
  const { batch, parts } = await openBatch();
  const ids = parts.map(({ _id }) => _id);
  await messages.cancelSend(batch.accountId, ids[2] ?? "", NOW);
  assert.equal(await batches.release(batch, ids, TIMES), 2);
  assert.equal(await batches.release(batch, ids, TIMES), 0);
  assert.deepEqual(await waitingOf(batch), ids.slice(0, 2));
});

test("batches.release() schedules the sends of a batch for its time", async () => {
  const { batches, waiting } = opened.store;
  const notBefore = new Date("2026-01-05T00:00:00Z");
  const { batch, parts } = await openBatch({ notBefore });
  await batches.release(batch, parts.map(({ _id }) => _id), TIMES);
  assert.deepEqual(await waitingOf(batch), []);
  await waiting.startSends({ now: notBefore, reconcileAt: notBefore });
  assert.equal((await waitingOf(batch)).length, 3);
});

test("batches.hold() stops what is not dispatched of one batch alone", async () => {
  const { batches } = opened.store;
  const { batch, parts } = await openBatch();
  const { batch: other, parts: others } = await openBatch({ accountId: batch.accountId });
  await batches.release(batch, parts.map(({ _id }) => _id), TIMES);
  await batches.release(other, others.map(({ _id }) => _id), TIMES);
  await batches.hold(batch);
  assert.deepEqual(await waitingOf(batch), others.map(({ _id }) => _id));
});

test("batches.endOverdue() closes what has started, cancels what has not, and touches no ended one", async () => {
  const { batches } = opened.store;
  const stateOf = async (changes: Partial<Batch>, { isClosed = false, early = 0 } = {}) => {
    const { batch } = await openBatch(changes, []);
    if (isClosed) await batches.close(batch.accountId, batch._id, NOW);
    await batches.endOverdue(batch, new Date(batch.closesAt.getTime() - early));
    return (await batches.find(batch.accountId, batch._id))?.state;
  };
  assert.equal(await stateOf({ start: "now" }), "closed");
  assert.equal(await stateOf({ start: "close" }), "canceled");
  assert.equal(await stateOf({ start: "close" }, { isClosed: true }), "closed");
  assert.equal(await stateOf({ start: "close" }, { early: 1 }), "open");
});

test("batches.listDue() lists ended batches until their work is done, those left longest first", async () => {
  const { batches } = opened.store;
  const [{ batch: a }, { batch: b }] = [await openBatch({}, []), await openBatch({}, [])];
  await batches.close(a.accountId, a._id, NOW);
  await batches.close(b.accountId, b._id, new Date(NOW.getTime() + 1));
  const due = async () => {
    const found = await batches.listDue(LATER, 999);
    return found.map(({ _id }) => _id).filter((id) => id === a._id || id === b._id);
  };
  assert.deepEqual(await due(), [a._id, b._id]);
  await batches.noteProgress({ ...a, state: "closed" }, "snd_1", LATER);
  assert.deepEqual(await due(), [b._id, a._id]);
  // Another state than it has: somebody has canceled it meanwhile.
  await batches.noteProgress({ ...b, state: "open" }, null, LATER);
  await batches.noteProgress({ ...a, state: "closed" }, null, LATER);
  assert.deepEqual(await due(), [b._id]);
});

test("batches.count() adds up settled sends, open ones and messages without documents", async () => {
  const { batches, sends } = opened.store;
  const { batch, parts: [first, second] } = await openBatch({ start: "now" });
  assert.ok(first && second);
  await batches.release(batch, [first._id, second._id], TIMES);
  const end = async (send: Send, index: number, state: "sent" | "failed") => {
    const messageId = messageIdOf(send._id, index);
    await takeAttempt(opened.store, { messageId, attempt: 1 });
    await endAttempt(opened.store, state, { messageId, attempt: 1, at: NOW, reason: "x" });
  };
  await end(first, 0, "sent");
  await end(first, 1, "failed");
  await end(second, 0, "sent");
  const finished = await sends.finished([first._id, second._id]);
  assert.deepEqual(finished.map(({ _id, batchId }) => [_id, batchId]), [[first._id, batch._id]]);
  await batches.noteEnds(finished);
  await sends.settle([first], NOW);
  const { states, isSettled, isCut } = await batches.count(batch.accountId, batch._id, 1000);
  assert.deepEqual(states, { sent: 2, failed: 1, queued: 1, scheduled: 2 });
  assert.deepEqual([isSettled, isCut], [false, false]);
  const found = await sends.search(batch.accountId, { batchId: batch._id }, { limit: 9 });
  assert.equal(found.sends.length, 3);
  const all = await opened.store.messages.search(batch.accountId, { batchId: batch._id }, {
    limit: 9,
  });
  assert.equal(all.messages.length, 6);
});

test("batches.removeOld() keeps batches with work, and those whose sends start later", async () => {
  const { batches } = opened.store;
  const old = { accountId: newId("acc"), createdAt: new Date("2025-01-01T00:00:00Z") };
  const [{ batch: done }, { batch: later }, { batch: due }] = [
    await openBatch(old, []),
    await openBatch({ ...old, notBefore: NOW }, []),
    await openBatch(old, []),
  ];
  for (const batch of [done, later]) {
    await batches.close(batch.accountId, batch._id, NOW);
    await batches.noteProgress({ ...batch, state: "closed" }, null, NOW);
  }
  assert.equal(await batches.removeOld(new Date("2025-06-01T00:00:00Z")), 1);
  const left = await batches.list(old.accountId, { limit: 9 });
  assert.deepEqual(new Set(left.map(({ _id }) => _id)), new Set([later._id, due._id]));
});
