import assert from "node:assert/strict";
import { test } from "node:test";
import { MongoClient } from "mongodb";
import { openTestMongo } from "./mongo_database.ts";

test("openTestMongo() returns for each call a database of its own in one server", async () => {
  await using first = await openTestMongo();
  await using second = await openTestMongo();
  const [one, other] = [new URL(first.url), new URL(second.url)];
  assert.equal(one.host, other.host);
  assert.match(one.pathname, /^\/test_[0-9a-f]{12}$/);
  assert.notEqual(one.pathname, other.pathname);
});

test("openTestMongo() returns a database that keeps documents of past days", async () => {
  await using database = await openTestMongo();
  await using client = await new MongoClient(database.url).connect();
  const parameter = await client.db("admin").command({ getParameter: 1, ttlMonitorEnabled: 1 });
  assert.equal(parameter["ttlMonitorEnabled"], false);
});
