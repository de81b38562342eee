import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestMongo } from "./mongo_database.ts";

test("openTestMongo() returns for each call a database of its own in one server", async () => {
  await using first = await openTestMongo();
  await using second = await openTestMongo();
  const [one, other] = [new URL(first.url), new URL(second.url)];
  assert.equal(one.host, other.host);
  assert.match(one.pathname, /^\/test_[0-9a-f]{12}$/);
  assert.notEqual(one.pathname, other.pathname);
});
