import assert from "node:assert/strict";
import { test } from "node:test";
import { MongoClient } from "mongodb";
import { openTestMongo } from "./mongo_database.ts";

test("openTestMongo() gives each call a database of its own in one server", async () => {
  await using first = await openTestMongo();
  await using second = await openTestMongo();
  const [one, other] = [new URL(first.url), new URL(second.url)];
  assert.equal(one.host, other.host);
  assert.match(one.pathname, /^\/test_[0-9a-f]{12}$/);
  assert.notEqual(one.pathname, other.pathname);
});

test("openTestMongo() gives a database on without what was written to it", async () => {
  const write = async (url: string) => {
    await using client = await new MongoClient(url).connect();
    const things = client.db().collection("things");
    assert.equal(await things.countDocuments(), 0);
    await things.insertOne({});
  };
  const urls: string[] = [];
  for (let n = 0; n < 2; n++) {
    await using mongo = await openTestMongo();
    await write(mongo.url);
    urls.push(mongo.url);
  }
  assert.equal(urls[0], urls[1]);
});
