import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestStore } from "./_test_store.ts";

test("openTestStore() opens a database that keeps documents of past days", async () => {
  await using opened = await openTestStore();
  const admin = opened.db.client.db("admin");
  const parameter = await admin.command({ getParameter: 1, ttlMonitorEnabled: 1 });
  assert.equal(parameter["ttlMonitorEnabled"], false);
});

test("openTestStore() finds nothing that the test before has written", async () => {
  const urls: string[] = [];
  for (let n = 0; n < 2; n++) {
    await using opened = await openTestStore();
    assert.deepEqual(await opened.store.accounts.list(), []);
    assert.deepEqual(await opened.db.collection("system.profile").countDocuments(), 0);
    await opened.db.command({ profile: 2 });
    await opened.store.accounts.create({ name: "Shop" });
    urls.push(opened.url);
  }
  // Otherwise the test shows nothing: it must be the same database.
  assert.equal(urls[0], urls[1]);
});
