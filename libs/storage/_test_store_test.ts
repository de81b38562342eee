import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestStore } from "./_test_store.ts";

test("openTestStore() opens a database that keeps documents of past days", async () => {
  await using opened = await openTestStore();
  const admin = opened.db.client.db("admin");
  const parameter = await admin.command({ getParameter: 1, ttlMonitorEnabled: 1 });
  assert.equal(parameter["ttlMonitorEnabled"], false);
});
