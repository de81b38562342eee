import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { openTestMongo, until } from "@posthaste/kit";
import { MongoClient } from "mongodb";
import { ledgerClock } from "./_ledger_clock.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const MINUTE = 60_000;

test("ledgerClock() shows the database's time, and its own while they are close", () => {
  const client = new EventEmitter();
  let wall = NOW;
  const now = ledgerClock(client, { wallClock: () => wall });
  const beat = (localTime: unknown) =>
    client.emit("serverHeartbeatSucceeded", { reply: { localTime } });
  assert.equal(now().getTime(), NOW);
  beat(new Date(NOW - 20 * MINUTE));
  wall += 5000;
  assert.equal(now().getTime(), NOW - 20 * MINUTE + 5000);
  beat(new Date(wall - 400));
  assert.equal(now().getTime(), wall);
  beat("a server that says nothing of it");
  assert.equal(now().getTime(), wall);
});

test("ledgerClock() follows the time of a real database", async () => {
  await using mongo = await openTestMongo();
  const client = new MongoClient(mongo.url);
  const now = ledgerClock(client, { wallClock: () => Date.now() + 20 * MINUTE });
  try {
    await client.db("test").command({ ping: 1 });
    await until(() => Math.abs(now().getTime() - Date.now()) < MINUTE);
  } finally {
    await client.close();
  }
});
