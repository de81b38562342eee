import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newId } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => void (opened = await openTestStore()));
after(() => opened?.[Symbol.asyncDispose]());

const line = (accountId: string, n: number) => ({
  ...{ accountId, at: new Date(), userId: n % 2 === 0 ? "usr_a" : "usr_b" },
  ...{ userEmail: `p${n}@x.example`, action: "token.created", target: `token ${n}` },
  details: { z: n, a: "x", nothing: null },
});

async function written(count: number): Promise<string> {
  const accountId = newId("acc");
  for (let n = 1; n <= count; n++) await opened.store.audit.note(line(accountId, n));
  return accountId;
}

test("checkAudit() finds every line in its place after many concurrent writes", async () => {
  const { store } = opened;
  const accountId = newId("acc");
  assert.deepEqual(await store.audit.check(accountId), {
    head: { seq: 0, digest: "" },
    fault: undefined,
  });
  await Promise.all(Array.from({ length: 20 }, (_, n) => store.audit.note(line(accountId, n))));
  const { head, fault } = await store.audit.check(accountId);
  assert.deepEqual([head.seq, fault], [20, undefined]);
  assert.equal(await store.audit.findDigest(accountId, 20), head.digest);
  const listed = await store.audit.list(accountId, { limit: 50 });
  assert.deepEqual(listed.map(({ target }) => target).toSorted(), [
    ...Array.from({ length: 20 }, (_, n) => `token ${n}`).toSorted(),
  ]);
  assert.deepEqual(listed[0]?.details["a"], "x");
});

test("checkAudit() returns the first line that was changed, moved, forged or removed", async () => {
  const { store, db } = opened;
  const audit = db.collection("audit");
  const changes: [string, (accountId: string) => Promise<unknown>, seq: number, RegExp][] = [
    [
      "text",
      (accountId) =>
        audit.updateOne({ accountId, seq: 2 }, { $set: { "content.target": "token 9" } }),
      2,
      /text/,
    ],
    [
      "detail",
      (accountId) => audit.updateOne({ accountId, seq: 2 }, { $set: { "content.details.z": 9 } }),
      2,
      /text/,
    ],
    [
      "who",
      (accountId) => audit.updateOne({ accountId, seq: 3 }, { $set: { userId: "usr_c" } }),
      3,
      /changed/,
    ],
    [
      "when",
      (accountId) => audit.updateOne({ accountId, seq: 3 }, { $set: { at: new Date(0) } }),
      3,
      /changed/,
    ],
    ["gone", (accountId) => audit.deleteOne({ accountId, seq: 2 }), 3, /missing/],
    ["first gone", (accountId) => audit.deleteOne({ accountId, seq: 1 }), 2, /missing/],
    [
      "closed up",
      async (accountId) => {
        await audit.deleteOne({ accountId, seq: 2 });
        await audit.updateOne({ accountId, seq: 3 }, { $set: { seq: 2 } });
      },
      2,
      /does not match the line before/,
    ],
  ];
  for (const [name, change, seq, what] of changes) {
    const accountId = await written(4);
    await change(accountId);
    const { fault } = await store.audit.check(accountId);
    assert.equal(fault?.seq, seq, name);
    assert.match(fault.what, what, name);
  }
});

test("findAuditDigest() reveals lines that were cut off or rewritten, by a kept end of the log", async () => {
  const { store, db } = opened;
  const accountId = await written(3);
  const kept = (await store.audit.check(accountId)).head;
  await db.collection("audit").deleteOne({ accountId, seq: 3 });
  assert.equal((await store.audit.check(accountId)).fault, undefined);
  assert.equal(await store.audit.findDigest(accountId, kept.seq), null);
  await store.audit.note(line(accountId, 3));
  assert.equal((await store.audit.check(accountId)).fault, undefined);
  assert.notEqual(await store.audit.findDigest(accountId, kept.seq), kept.digest);
});

test("eraseAuditOf() removes the content of a person's lines, and leaves the chain whole", async () => {
  const { store, db } = opened;
  const accountId = await written(4);
  assert.ok(await store.audit.eraseOf("usr_a") >= 2);
  const { head, fault } = await store.audit.check(accountId);
  assert.deepEqual([head.seq, fault], [4, undefined]);
  const stored = JSON.stringify(await db.collection("audit").find({ accountId }).toArray());
  assert.doesNotMatch(stored, /p2@|token 2/);
  assert.match(stored, /p1@/);
  const [newest] = await store.audit.list(accountId, { limit: 1 });
  assert.deepEqual([newest?.target, newest?.userEmail], ["(erased)", null]);
});

test("listAudit() lists lines of an earlier version, and a chain begins after them", async () => {
  const { store, db } = opened;
  const accountId = newId("acc");
  const old = { ...line(accountId, 1), _id: newId("aud", new Date(0)), at: new Date(0) };
  await db.collection<{ _id: string }>("audit").insertOne(old);
  await store.audit.note(line(accountId, 2));
  const listed = await store.audit.list(accountId, { limit: 9 });
  assert.deepEqual(listed.map(({ target }) => target), ["token 2", "token 1"]);
  assert.equal((await store.audit.check(accountId)).head.seq, 1);
});
