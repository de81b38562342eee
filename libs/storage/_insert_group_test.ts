import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { insertGroup } from "./_insert_group.ts";

interface Line {
  _id: string;
  by: string;
}

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
  await opened.db.command({ profile: 2 });
});
after(async () => {
  await opened?.db.command({ profile: 0 });
  await opened?.[Symbol.asyncDispose]();
});

/** Returns how many groups were inserted into a collection. */
function groupsOf(collection: string): Promise<number> {
  const profile = opened.db.collection("system.profile");
  return profile.countDocuments({
    ns: `${opened.db.databaseName}.${collection}`,
    "command.ordered": false,
  });
}

const lines = () => opened.db.collection<Line>("insert_group");

test("insertGroup() inserts simultaneous documents by few commands, and each `_id` once", async () => {
  await lines().insertOne({ _id: "7", by: "another" });
  const insert = insertGroup(lines());
  const wanted = Array.from({ length: 100 }, (_, index) => ({ _id: `${index % 50}`, by: "me" }));
  const free = await Promise.all(wanted.map(insert));
  assert.equal(free.filter(Boolean).length, 49);
  assert.equal(free[7], false);
  // Of two equal ids in one group, the first one is inserted.
  assert.deepEqual(free.slice(0, 3), [true, true, true]);
  assert.deepEqual(free.slice(50, 53), [false, false, false]);
  assert.equal(await lines().countDocuments({ by: "me" }), 49);
  assert.equal(await groupsOf("insert_group"), 1);
});

test("insertGroup() rejects only the insert that fails for another cause", async () => {
  await opened.db.createCollection("insert_checked", {
    validator: { by: { $ne: "nobody" } },
  });
  const insert = insertGroup(opened.db.collection<Line>("insert_checked"));
  const group = ["a", "nobody", "c"].map((by) => insert({ _id: by, by }));
  const settled = await Promise.allSettled(group);
  assert.deepEqual(settled.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.equal(await insert({ _id: "c", by: "c" }), false);
  assert.equal(await insert({ _id: "d", by: "d" }), true);
});

test("insertGroup() inserts what comes alone immediately, and groups what comes within `everyMs`", async () => {
  const lines = opened.db.collection<Line>("insert_paced");
  await insertGroup(lines, { everyMs: 3_600_000 })({ _id: "0", by: "me" });
  const insert = insertGroup(lines, { everyMs: 1000 });
  await insert({ _id: "1", by: "me" });
  const group = ["2", "3"].map((_id) => insert({ _id, by: "me" }));
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([...group, insert({ _id: "4", by: "me" })]);
  assert.equal(await groupsOf("insert_paced"), 3);
});

test("insertGroup() does not make full groups wait", { timeout: 60_000 }, async () => {
  const lines = opened.db.collection<Line>("insert_full");
  const insert = insertGroup(lines, { everyMs: 3_600_000 });
  await insert({ _id: "first", by: "me" });
  // It waits, until the group is full.
  const waiting = insert({ _id: "waiting", by: "me" });
  const wanted = Array.from({ length: 1499 }, (_, index) => ({ _id: `${index}`, by: "me" }));
  await Promise.all([waiting, ...wanted.map(insert)]);
  assert.equal(await groupsOf("insert_full"), 4);
});
