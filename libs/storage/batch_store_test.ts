import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type Batch,
  MAX_BATCH_PDFS,
  MAX_BATCH_RECIPIENTS,
  MAX_OPEN_BATCHES,
  newId,
} from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import { batchOf, openTestStore, type TestStore } from "./_test_store.ts";
import { TooManyBatchesError } from "./batch_store.ts";

let opened: TestStore;
before(async () => void (opened = await openTestStore()));
after(() => opened[Symbol.asyncDispose]());

async function openBatch(changes: Partial<Batch> = {}): Promise<Batch> {
  const batch = batchOf({ accountId: newId("acc"), ...changes });
  await opened.store.batches.create(batch, undefined);
  return batch;
}

function partOf({ _id: batchId, accountId }: Batch, messageCount = 2) {
  return testSend({ accountId, batchId, messageCount, next: 0, held: true });
}

const NOW = new Date("2026-01-01T01:00:00Z");

test("batches.create() returns the same batch under one key, and none for another request", async () => {
  const { batches } = opened.store;
  const accountId = newId("acc");
  const idempotency = { key: "a", bodyHash: "1" };
  assert.equal(await batches.findCreated(accountId, idempotency), null);
  const created = await Promise.all(
    Array.from({ length: 5 }, () => batches.create(batchOf({ accountId }), idempotency)),
  );
  const ids = new Set(created.map(({ batch }) => batch?._id));
  assert.equal(ids.size, 1);
  assert.equal((await batches.list(accountId, { limit: 9 })).length, 1);
  assert.deepEqual(await batches.findCreated(accountId, { key: "a", bodyHash: "2" }), {
    batch: null,
  });
  assert.equal((await batches.findCreated(accountId, idempotency))?.batch?._id, [...ids][0]);
});

test("batches.create() opens at most 100 batches of an account, even concurrently", async () => {
  const { batches } = opened.store;
  const accountId = newId("acc");
  const results = await Promise.allSettled(
    Array.from(
      { length: MAX_OPEN_BATCHES + 10 },
      () => batches.create(batchOf({ accountId }), undefined),
    ),
  );
  const failed = results.filter(({ status }) => status === "rejected");
  assert.equal(failed.length, 10);
  for (const result of failed) {
    assert.ok(result.status === "rejected" && result.reason instanceof TooManyBatchesError);
  }
  const [first] = await batches.list(accountId, { limit: 1 });
  assert.ok(first);
  await batches.close(accountId, first._id, NOW);
  await batches.create(batchOf({ accountId }), undefined);
  await assert.rejects(batches.create(batchOf({ accountId }), undefined), TooManyBatchesError);
});

test("batches of another account are not found, listed, changed or counted", async () => {
  const { batches, sends } = opened.store;
  const batch = await openBatch();
  await sends.accept(partOf(batch));
  const { _id } = batch;
  assert.equal(await batches.find("acc_other", _id), null);
  assert.deepEqual(await batches.list("acc_other", { limit: 9 }), []);
  assert.equal(await batches.close("acc_other", _id, NOW), null);
  assert.equal(await batches.cancel("acc_other", _id, NOW), null);
  assert.equal(
    await batches.pinPdfs("acc_other", _id, [{ ref: "1", id: 1, version: 1 }]),
    "closed",
  );
  assert.deepEqual((await batches.count("acc_other", _id, 1000)).states, {});
  const foreign = await sends.accept({ ...partOf(batch), accountId: "acc_other" });
  assert.deepEqual(foreign, { accepted: false, existing: null, refusal: "closed" });
  assert.equal((await batches.find(batch.accountId, _id))?.state, "open");
});

test("sends.accept() counts each part of a batch once, whoever repeats it", async () => {
  const { batches, sends } = opened.store;
  const batch = await openBatch();
  const idempotency = { key: "part", bodyHash: "1" };
  const parts = Array.from({ length: 6 }, () => ({ ...partOf(batch), idempotency }));
  const done = await Promise.all(parts.map((part) => sends.accept(part)));
  assert.equal(done.filter(({ accepted }) => accepted).length, 1);
  await Promise.all(Array.from({ length: 6 }, () => sends.accept(partOf(batch, 3))));
  const found = await batches.find(batch.accountId, batch._id);
  assert.deepEqual([found?.sends, found?.recipients], [7, 20]);
});

test("sends.accept() adds nothing to a batch that is full or has ended", async () => {
  const { batches, sends } = opened.store;
  const full = await openBatch({ recipients: MAX_BATCH_RECIPIENTS - 1 });
  assert.deepEqual(await sends.accept(partOf(full)), {
    ...{ accepted: false, existing: null, refusal: "full" },
  });
  assert.deepEqual(await sends.accept(partOf(full, 1)), { accepted: true });
  const found = await batches.find(full.accountId, full._id);
  assert.deepEqual([found?.sends, found?.recipients], [1, MAX_BATCH_RECIPIENTS]);
  await batches.close(full.accountId, full._id, NOW);
  const late = partOf(full, 1);
  assert.deepEqual(await sends.accept(late), {
    ...{ accepted: false, existing: null, refusal: "closed" },
  });
  assert.equal(await sends.find(full.accountId, late._id), null);
});

test("sends.accept() and batches.close() at the same time leave no send that the batch does not count", async () => {
  const { batches, sends } = opened.store;
  for (let round = 0; round < 8; round++) {
    const batch = await openBatch();
    const { accountId, _id } = batch;
    const accepting = Array.from({ length: 8 }, () => sends.accept(partOf(batch)));
    const closed = await batches.close(accountId, _id, NOW);
    const accepted = (await Promise.all(accepting)).filter((done) => done.accepted).length;
    const { ids } = await batches.nextPart(batch, { sends: 99, messages: 999 });
    const after = await batches.find(accountId, _id);
    assert.equal(ids.length, accepted);
    assert.equal(after?.sends, accepted);
    // What it said when it was closed stays true.
    assert.equal(closed?.sends, accepted);
  }
});

test("batches.close() and cancel() are idempotent, and a canceled batch stays canceled", async () => {
  const { batches } = opened.store;
  const { accountId, _id } = await openBatch();
  const closed = await batches.close(accountId, _id, NOW);
  assert.deepEqual([closed?.state, closed?.endedAt, closed?.request], ["closed", NOW, undefined]);
  const later = new Date(NOW.getTime() + 1000);
  assert.deepEqual((await batches.close(accountId, _id, later))?.endedAt, NOW);
  assert.equal((await batches.cancel(accountId, _id, later))?.state, "canceled");
  assert.equal((await batches.close(accountId, _id, later))?.state, "canceled");
});

test("batches.pinPdfs() pins each template once, in one version by whatever name", async () => {
  const { batches } = opened.store;
  const { accountId, _id } = await openBatch();
  const pin = (ref: string, id: number, version: number) =>
    batches.pinPdfs(accountId, _id, [{ ref, id, version }]);
  assert.deepEqual(await pin("7", 7, 4), [{ ref: "7", id: 7, version: 4 }]);
  assert.deepEqual(await pin("invoice", 7, 5), [
    { ref: "7", id: 7, version: 4 },
    { ref: "invoice", id: 7, version: 4 },
  ]);
  assert.equal((await pin("7", 7, 9)).length, 2);
  const many = Array.from({ length: MAX_BATCH_PDFS }, (_, n) => ({
    ...{ ref: `$more.${n}`, id: 100 + n, version: 1 },
  }));
  assert.equal(await batches.pinPdfs(accountId, _id, many), "too_many");
  await batches.close(accountId, _id, NOW);
  assert.equal(await pin("7", 7, 4), "closed");
});
