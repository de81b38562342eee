import assert from "node:assert/strict";
import { test } from "node:test";
import { nightly } from "@posthaste/kit";
import { MongoClient } from "mongodb";
import { temporaryDir } from "./_temporary_dir.ts";
import { openMongodReplicaSet } from "./mongod_replica_set.ts";

nightly("libs/embedded/mongod_server_test.ts");

test("openMongodReplicaSet() keeps majority writes while its primary steps down and is killed", async () => {
  await using dir = await temporaryDir();
  await using set = await openMongodReplicaSet({ env: process.env, dataDir: dir.path });
  assert.equal(set.members.length, 3);
  await using client = await new MongoClient(set.url).connect();
  const things = client.db("kept").collection<{ _id: number }>("things");
  const insert = (_id: number) =>
    things.insertOne({ _id }, { writeConcern: { w: "majority", j: true } });
  await insert(1);

  const first = await set.primary();
  const second = await set.stepDown();
  assert.notEqual(second.port, first.port);
  await insert(2);

  await second.kill();
  const third = await set.primary();
  assert.notEqual(third.port, second.port);
  await insert(3);
  await second.restart();

  const found = await things.find({}, { readConcern: { level: "majority" } }).toArray();
  assert.deepEqual(found.map(({ _id }) => _id), [1, 2, 3]);
});
