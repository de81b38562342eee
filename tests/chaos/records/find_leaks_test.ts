import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { openTestMongo, openTestNats, until } from "@posthaste/kit";
import { connect, headers } from "@nats-io/transport-node";
import { MongoClient } from "mongodb";
import { openEavesdropper } from "./eavesdrop.ts";
import { searchChildren, searchDatabase, searchFolder } from "./find_leaks.ts";
import { canaryOf, searchFor } from "./secret.ts";

const PASSWORD = canaryOf("leaks");
const LOGIN = Buffer.from(`\0chaos\0${PASSWORD}`).toString("base64");
const search = searchFor([{ name: "the password", value: PASSWORD }]);

test("searchFolder() finds the file that contains a secret, at any depth", async () => {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-leaks-"));
  try {
    await mkdir(join(folder, "a", "b"), { recursive: true });
    await writeFile(join(folder, "a", "good"), "nothing");
    assert.deepEqual(await searchFolder(folder, search), []);
    await writeFile(join(folder, "a", "b", "bad"), `${"x".repeat(100_000)}${PASSWORD}`);
    assert.deepEqual(await searchFolder(folder, search), [
      "a/b/bad holds the password in the clear",
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("searchDatabase() finds a secret in an account's documents, and in those without an account", async () => {
  await using test = await openTestMongo();
  await using mongo = await new MongoClient(test.url).connect();
  const db = mongo.db();
  const find = () => searchDatabase(mongo, { database: db.databaseName, accountId: "1", search });
  await db.collection("messages").insertOne({ accountId: "2", reply: PASSWORD });
  assert.deepEqual(await find(), []);
  await db.collection("messages").insertOne({ accountId: "1", timeline: [{ reply: LOGIN }] });
  assert.match((await find()).join(), /^the collection messages holds the password in base64/);
  await db.collection("health").insertOne({ bytes: Buffer.from(PASSWORD) });
  assert.equal((await find()).length, 2);
});

test("searchChildren() finds a secret in the environment of a process below another", async () => {
  const children = async (env: NodeJS.ProcessEnv) => {
    const child = spawn("sleep", ["20"], { env: { PATH: process.env["PATH"], ...env } });
    await once(child, "spawn");
    try {
      return await searchChildren([process.pid], search);
    } finally {
      child.kill();
      await once(child, "exit");
    }
  };
  assert.deepEqual(await children({}), []);
  assert.match((await children({ SMTP: PASSWORD })).join(), /environ holds the password/);
});

test("openEavesdropper() finds a secret in an event's body and in its headers", async () => {
  await using nats = await openTestNats();
  await using ears = await openEavesdropper(nats.url, search);
  const connection = await connect({ servers: nats.url });
  try {
    connection.publish("status.message.sent", "nothing");
    await until(() => ears.heard === 1, { message: "the first event to be heard" });
    assert.deepEqual([...ears.leaks], []);
    connection.publish("status.message.sent", JSON.stringify({ reply: PASSWORD }));
    connection.publish("_INBOX.abc.1", Buffer.from(LOGIN));
    const head = headers();
    head.set("Trace", PASSWORD);
    connection.publish("send.resumed.bulk", "nothing", { headers: head });
    await until(() => ears.leaks.size === 3, { message: "all three to be heard" });
    const heard = [...ears.leaks].join();
    assert.match(heard, /"status.message" holds the password in the clear/);
    assert.match(heard, /"_INBOX.abc" holds the password in base64/);
    assert.match(heard, /"send.resumed" holds the password in the clear/);
  } finally {
    await connection.close();
  }
});
