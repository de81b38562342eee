import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const SOURCE = {
  ...{ subject: "Hi", html: "<p>Hi", text: "", filename: "", variables: [], locale: "en" },
  ...{ page: null, sample: {} },
};
const AT = new Date("2026-03-01T10:00:00Z");

function draftOf(accountId: string, changes: { source?: object } = {}) {
  return {
    _id: `${accountId}/email/1`,
    accountId,
    kind: "email" as const,
    source: { ...SOURCE, ...changes.source },
    base: null,
    updatedAt: AT,
    updatedBy: "usr_1",
  };
}

test("createDraft() begins at revision 1, and returns an existing draft", async () => {
  const draft = draftOf("acc_1");
  const created = await store.drafts.create(draft);
  assert.deepEqual(created, { ...draft, revision: 1 });
  const again = await store.drafts.create(draftOf("acc_1", { source: { subject: "other" } }));
  assert.deepEqual(again, created);
  assert.deepEqual(await store.drafts.find(draft), created);
  assert.deepEqual(await store.drafts.find({ ...draft, accountId: "acc_2" }), null);
});

test("changeDraft() accepts one of two concurrent editors, and none of another account", async () => {
  const draft = draftOf("acc_3");
  await store.drafts.create(draft);
  const edits = ["a", "b"].map((subject) =>
    store.drafts.change({ ...draft, revision: 1, source: { ...SOURCE, subject }, base: 4 })
  );
  const done = (await Promise.all(edits)).filter((changed) => changed !== null);
  assert.deepEqual(done.map(({ revision, base }) => [revision, base]), [[2, 4]]);
  assert.deepEqual(await store.drafts.find(draft), done[0]);
  assert.equal(await store.drafts.change({ ...draft, accountId: "acc_4", revision: 2 }), null);
});

test("noteDraftBase() changes nothing of a draft that was changed meanwhile", async () => {
  const draft = draftOf("acc_5");
  await store.drafts.create(draft);
  await store.drafts.noteBase({ ...draft, revision: 2 }, 7);
  assert.equal((await store.drafts.find(draft))?.base, null);
  await store.drafts.noteBase({ ...draft, revision: 1 }, 7);
  assert.deepEqual(
    (await store.drafts.list("acc_5", "email")).map(({ base, revision }) => [base, revision]),
    [[7, 1]],
  );
  assert.deepEqual(await store.drafts.list("acc_5", "pdf"), []);
});

test("a draft keeps a sample whose names mean something to the database", async () => {
  const sample = JSON.parse('{"$set":{"a.b":1},"_bsontype":"ObjectId","__proto__":"x","":[null]}');
  const draft = draftOf("acc_6", { source: { sample } });
  await store.drafts.create(draft);
  const found = await store.drafts.find(draft);
  assert.equal(JSON.stringify(found?.source.sample), JSON.stringify(sample));
});
