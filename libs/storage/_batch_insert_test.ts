import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newId, type Send } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import { type Collection, type Db, MongoServerError } from "mongodb";
import { insertIntoBatch } from "./_batch_insert.ts";
import { batchOf, openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => void (opened = await openTestStore()));
after(() => opened[Symbol.asyncDispose]());

/** A failure beside the second of both writes. */
interface Failure {
  moment: "before" | "after";
  error: Error;
}

/** Returns a database that fails once, directly before or after it inserts a send. */
function failingOnce(db: Db, { moment, error }: Failure): Db {
  let left = 1;
  const fail = (now: Failure["moment"]) => {
    if (now === moment && left-- > 0) throw error;
  };
  const failing = (sends: Collection) =>
    new Proxy(sends, {
      get: (target, name) =>
        name !== "insertOne" ? Reflect.get(target, name) : async (...given: [object]) => {
          fail("before");
          const result = await target.insertOne(...given);
          fail("after");
          return result;
        },
    });
  return new Proxy(db, {
    get: (target, name) =>
      name !== "collection" ? Reflect.get(target, name) : (collection: string) => {
        const found = target.collection(collection);
        return collection === "sends" ? failing(found) : found;
      },
  });
}

async function openPart(): Promise<Send & { batchId: string }> {
  const batch = batchOf({ accountId: newId("acc") });
  await opened.store.batches.create(batch, undefined);
  const { _id: batchId, accountId } = batch;
  return { ...testSend({ accountId, messageCount: 2, next: 0, held: true }), batchId };
}

/** Returns what the batch of a part counts, and whether the part is there. */
async function stateOf({ _id, accountId, batchId }: Send & { batchId: string }) {
  const { batches, sends } = opened.store;
  const batch = await batches.find(accountId, batchId);
  const { sends: count, recipients } = batch ?? {};
  return { count, recipients, isThere: await sends.find(accountId, _id) !== null };
}

for (const moment of ["before", "after"] as const) {
  test(`insertIntoBatch() neither counts nor keeps a part if it fails ${moment} its insertion`, async () => {
    const part = await openPart();
    const failing = failingOnce(opened.db, { moment, error: new Error("the connection is lost") });
    await assert.rejects(insertIntoBatch(failing, part), /the connection is lost/);
    assert.deepEqual(await stateOf(part), { count: 0, recipients: 0, isThere: false });
  });

  test(`insertIntoBatch() counts a part once if its transaction ends ${moment} its insertion`, async () => {
    const part = await openPart();
    // As the server reports a transaction that it does not have any more: the driver repeats it.
    const error = new MongoServerError({
      message: "the transaction has ended",
      errorLabels: ["TransientTransactionError"],
    });
    const failing = failingOnce(opened.db, { moment, error });
    assert.equal(await insertIntoBatch(failing, part), true);
    assert.deepEqual(await stateOf(part), { count: 1, recipients: 2, isThere: true });
  });
}

test("insertIntoBatch() does not count a part whose place is taken", async () => {
  const part = await openPart();
  assert.equal(await insertIntoBatch(opened.db, part), true);
  assert.equal(await insertIntoBatch(opened.db, part), false);
  assert.deepEqual(await stateOf(part), { count: 1, recipients: 2, isThere: true });
});
