import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestMongo } from "./mongo_database.ts";

test("openTestMongo() gives each call a database of its own in one server", async () => {
  await using first = await openTestMongo();
  await using second = await openTestMongo();
  assert.equal(first.url, second.url);
  assert.match(first.url, /^mongodb:\/\//);
  assert.notEqual(first.database, second.database);
});
