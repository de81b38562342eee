import assert from "node:assert/strict";
import { test } from "node:test";
import { nightly } from "@posthaste/kit";
import { MongoClient } from "mongodb";
import { temporaryDir } from "./_temporary_dir.ts";
import { openMongodShards } from "./mongod_shards.ts";

nightly("libs/embedded/mongod_server_test.ts");

test("openMongodShards() keeps each range of ids in its shard, behind one router", async () => {
  await using dir = await temporaryDir();
  await using cluster = await openMongodShards({ env: process.env, dataDir: dir.path });
  await using client = await new MongoClient(cluster.url).connect();
  await cluster.divide("kept.things", 3);
  const things = client.db("kept").collection<{ _id: number }>("things");
  await things.insertMany([1, 2, 3, 4].map((_id) => ({ _id })), {
    writeConcern: { w: "majority" },
  });
  const ids = await Promise.all(cluster.shards.map(async ({ server }) => {
    await using direct = await new MongoClient(server.url).connect();
    const found = await direct.db("kept").collection<{ _id: number }>("things").find().toArray();
    return found.map(({ _id }) => _id);
  }));
  assert.deepEqual(ids, [[1, 2], [3, 4]]);
  assert.equal(await things.countDocuments(), 4);
});
