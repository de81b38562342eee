import assert from "node:assert/strict";
import { test } from "node:test";
import { MongoClient } from "mongodb";
import { temporaryDir } from "./_temporary_dir.ts";
import { openMongod } from "./mongod_server.ts";

async function count(url: string): Promise<number> {
  await using client = await new MongoClient(url).connect();
  return await client.db("kept").collection("things").countDocuments();
}

test("openMongod() keeps majority writes through a crash, and on another port", async () => {
  await using dir = await temporaryDir();
  let firstPort: number;
  {
    await using server = await openMongod({ env: process.env, dataDir: dir.path });
    firstPort = server.port;
    await using client = await new MongoClient(server.url).connect();
    const things = client.db("kept").collection("things");
    await things.insertOne({ name: "one" }, { writeConcern: { w: "majority", j: true } });
    // No query can run its own program.
    await assert.rejects(things.findOne({ $where: "sleep(1) || true" }), /no globalScriptEngine/);
    await client.close();
    await server.kill();
    await server.restart();
    assert.equal(await count(server.url), 1);
  }
  await using again = await openMongod({ env: process.env, dataDir: dir.path });
  assert.notEqual(again.port, firstPort);
  assert.equal(await count(again.url), 1);
});

test("openMongod() reports that its port is taken, and that its data is in use", async () => {
  await using dir = await temporaryDir();
  await using other = await temporaryDir();
  await using server = await openMongod({ env: process.env, dataDir: dir.path });
  const { port } = server;
  await assert.rejects(openMongod({ env: process.env, dataDir: other.path, port }), {
    message: `Cannot start mongod on port "${port}": another program uses it; ` +
      `stop that program or choose another port`,
  });
  await assert.rejects(
    openMongod({ env: process.env, dataDir: dir.path, port: port + 1 }),
    /another mongod uses the data in/,
  );
});
