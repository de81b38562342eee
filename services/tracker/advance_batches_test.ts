import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type Batch,
  BATCH_OPEN_MS,
  messageIdOf,
  newId,
  newSendId,
  type Send,
} from "@posthaste/contracts";
import { endAttempt, openTestMongo, takeAttempt, type TestMongo, testSend } from "@posthaste/kit";
import { openStore, type Store } from "@posthaste/storage";
import { advanceBatches, type BatchDeps } from "./advance_batches.ts";

let mongo: TestMongo;
let store: Store;
let closing: AsyncDisposableStack;
before(async () => {
  closing = new AsyncDisposableStack();
  mongo = closing.use(await openTestMongo());
  store = closing.use(await openStore({ url: mongo.url }));
  await store.ensureIndexes();
});
after(() => closing.disposeAsync());

const START = new Date("2026-01-01T00:00:00Z");

/** Opens the work on batches, at a time that a test sets. Each test has an account of its own. */
function openWorld() {
  const world = { now: new Date(START.getTime() + 60_000), woken: 0, accountId: newId("acc") };
  const deps: BatchDeps = {
    ...store,
    patienceMs: 60_000,
    now: () => world.now,
    logger: { info() {}, warn() {} },
  };
  const flow = { wake: () => void world.woken++ };
  return { world, deps, flow };
}

async function openBatch(accountId: string, changes: Partial<Batch> = {}): Promise<Batch> {
  const closesAt = new Date(START.getTime() + BATCH_OPEN_MS);
  const batch: Batch = {
    ...{ _id: newId("bat", START), accountId, createdAt: START, state: "open", start: "close" },
    ...{ template: { id: 1, version: 1 }, integrationId: 1 },
    request: { from: { email: "shop@example.com" } },
    ...{ pdfs: [], recipients: 0, sends: 0, closesAt, endedAt: null, dueAt: closesAt },
    ...changes,
  };
  await store.batches.create(batch, undefined);
  return batch;
}

async function add({ _id: batchId, accountId, start }: Batch, n: number, count = 1): Promise<Send> {
  const send = testSend({
    ...{ accountId, acceptedAt: new Date(START.getTime() + n), priority: "bulk" },
    ...{ messageCount: count, reconcileAt: new Date("2026-02-01T00:00:00Z") },
    ...{ batchId, next: 0, ...(start === "close" ? { held: true } : {}) },
  });
  assert.deepEqual(await store.sends.accept(send), { accepted: true });
  return send;
}

/** Adds sends that differ in their ids and times alone. The batch counts the first, which is enough to work on it. */
async function addMany(batch: Batch, count: number): Promise<string[]> {
  const { _id: id, acceptedAt } = await add(batch, 0);
  const others = Array.from({ length: count - 1 }, (_, n) => {
    const at = new Date(acceptedAt.getTime() + n + 1);
    return { _id: newSendId(batch.accountId, at), acceptedAt: at };
  });
  await mongo.copy({ collection: "sends", id }, others);
  return [id, ...others.map(({ _id }) => _id)];
}

const waitingOf = async (accountId: string) =>
  (await store.waiting.listSends(`${accountId}/1`, { limit: 9999 })).map(({ _id }) => _id);

test("advanceBatches() releases nothing of an open batch, and all of a closed one in order", async () => {
  const { world, deps, flow } = openWorld();
  const { accountId } = world;
  const batch = await openBatch(accountId);
  const ids = await addMany(batch, 620);
  assert.equal(await advanceBatches(deps, flow), undefined);
  assert.deepEqual(await waitingOf(accountId), []);
  await store.batches.close(accountId, batch._id, world.now);
  assert.equal(await advanceBatches(deps, flow), 1);
  assert.deepEqual(await waitingOf(accountId), ids.slice(0, 500));
  assert.ok(world.woken > 0);
  assert.equal(await advanceBatches(deps, flow), 0);
  assert.deepEqual(await waitingOf(accountId), ids);
  assert.deepEqual(await store.batches.listDue(world.now, 9), []);
});

test("advanceBatches() cancels what is not sent of a canceled batch, released or not", async () => {
  const { world, deps, flow } = openWorld();
  const { accountId } = world;
  const batch = await openBatch(accountId);
  const sends: Send[] = [];
  for (let n = 0; n < 60; n++) sends.push(await add(batch, n, 2));
  const other = await openBatch(accountId, { start: "now" });
  const kept = await add(other, 99);
  await store.waiting.queueSend(kept);
  await store.batches.close(accountId, batch._id, world.now);
  // It was canceled in the middle of its release.
  const released = [...sends.slice(0, 30), ...sends.slice(-5)].map(({ _id }) => _id);
  await store.batches.release(batch, released, { now: world.now, reconcileAt: world.now });
  const [first] = sends;
  assert.ok(first);
  const sent = { messageId: messageIdOf(first._id, 0), attempt: 1 };
  await takeAttempt(store, sent);
  await endAttempt(store, "sent", { ...sent, at: world.now });
  await store.batches.cancel(accountId, batch._id, world.now);
  assert.equal(await advanceBatches(deps, flow), 1);
  // After the first part already, no more of it is dispatched.
  assert.deepEqual(await waitingOf(accountId), [kept._id]);
  assert.equal(await advanceBatches(deps, flow), 0);
  const { states } = await store.batches.count(accountId, batch._id, 5000);
  assert.deepEqual(states, { sent: 1, canceled: 119 });
  const due = await store.sends.listToReconcile(world.now, 999);
  assert.equal(due.filter(({ batchId }) => batchId === batch._id).length, 60);
  assert.deepEqual((await store.batches.count(accountId, other._id, 5000)).states, { queued: 1 });
});

test("advanceBatches() goes on with a batch where another tracker was lost", async () => {
  const { world, deps, flow } = openWorld();
  const { accountId } = world;
  const batch = await openBatch(accountId);
  const ids = [(await add(batch, 1))._id, (await add(batch, 2))._id];
  await store.batches.close(accountId, batch._id, world.now);
  // It released a send, and noted nothing.
  const times = { now: world.now, reconcileAt: world.now };
  await store.batches.release(batch, ids.slice(0, 1), times);
  await advanceBatches(deps, flow);
  await advanceBatches(deps, flow);
  assert.deepEqual(await waitingOf(accountId), ids);
});

test("advanceBatches() ends batches that were left open for 24 hours", async () => {
  const { world, deps, flow } = openWorld();
  const { accountId } = world;
  const held = await openBatch(accountId);
  await add(held, 1);
  const started = await openBatch(accountId, { start: "now" });
  const running = await add(started, 2);
  await store.waiting.queueSend(running);
  world.now = new Date(held.closesAt.getTime() - 1);
  await advanceBatches(deps, flow);
  assert.equal((await store.batches.find(accountId, held._id))?.state, "open");
  world.now = held.closesAt;
  while (await advanceBatches(deps, flow));
  assert.equal((await store.batches.find(accountId, held._id))?.state, "canceled");
  assert.equal((await store.batches.find(accountId, started._id))?.state, "closed");
  assert.deepEqual((await store.batches.count(accountId, held._id, 5000)).states, { canceled: 1 });
  assert.deepEqual(await waitingOf(accountId), [running._id]);
});

test("advanceBatches() takes batches in turn: a long one does not delay the next", async () => {
  const { world, deps, flow } = openWorld();
  const { accountId } = world;
  const long = await openBatch(accountId);
  for (let n = 0; n < 3; n++) await add(long, n, 40_000 / 2);
  const other = newId("acc");
  const short = await openBatch(other);
  const one = await add(short, 9);
  await store.batches.close(accountId, long._id, world.now);
  await store.batches.close(other, short._id, world.now);
  assert.equal(await advanceBatches(deps, flow), 1);
  assert.equal((await waitingOf(accountId)).length, 2);
  assert.deepEqual(await waitingOf(other), [one._id]);
});
