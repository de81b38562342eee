import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import timers from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { messageIdOf } from "@posthaste/contracts";
import { freePort, openMongod } from "@posthaste/embedded";
import {
  endAttempt,
  openTcpProxy,
  openTestMongo,
  takeAttempt,
  takesLong,
  testSend,
  until,
} from "@posthaste/kit";
import { openTestStore } from "./_test_store.ts";
import { NameTakenError } from "./name_taken_error.ts";
import { openStore } from "./store.ts";
import type { Publication } from "./template_store.ts";

takesLong();

test("openStore() returns a store that answers, until it is disposed of", async () => {
  await using opened = await openTestStore();
  const store = await openStore({ url: opened.url });
  await store.ping();
  await store.ensureIndexes();
  await store[Symbol.asyncDispose]();
  await assert.rejects(store.ping());
});

test("an idle store starts no timer of less than a second: each costs up to 0.2 ms", async (t) => {
  const waits: number[] = [];
  const { setTimeout: start } = timers;
  // As the driver starts its timers.
  t.mock.method(timers, "setTimeout", (work: () => void, ms: number) => {
    waits.push(ms);
    return start(work, ms);
  });
  await using mongo = await openTestMongo();
  await using store = await openStore({ url: mongo.url });
  await store.ping();
  await delay(50);
  waits.length = 0;
  await delay(1000);
  assert.deepEqual(waits.filter((ms) => ms < 1000), []);
});

test("openStore() reports within seconds that there is no database, without a password", async () => {
  const url = "mongodb://jane:hunter2@127.0.0.1:1/ledger?authSource=admin&replicaSet=rs0";
  await assert.rejects(openStore({ url }), (error: Error) => {
    assert.match(error.message, /^Cannot open database "ledger": .*ECONNREFUSED/);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
});

test("a store repeats what a silent connection does not answer", { timeout: 60_000 }, async () => {
  await using opened = await openTestStore();
  const url = new URL(opened.url);
  await using proxy = await openTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  url.search = "?directConnection=true";
  await using store = await openStore({ url: url.href, answerMs: 300 });
  const look = () => Promise.all(Array.from({ length: 8 }, () => store.mailers.live(1000)));
  await look();
  proxy.forgetNewest();
  assert.deepEqual((await look()).flat(), []);
});

test("openStore() waits for an unavailable database, until it comes", async () => {
  const port = await freePort();
  const lines: string[] = [];
  const logger = { warn: (line: string) => void lines.push(line) };
  const waiting = { signal: new AbortController().signal, logger };
  const url = `mongodb://127.0.0.1:${port}/ledger?directConnection=true`;
  const opening = openStore({ url, waiting });
  await until(() => lines.length > 0);
  assert.equal(lines[0], "Cannot reach the database, retrying");
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-late-"));
  await using after = new AsyncDisposableStack();
  after.defer(() => rm(dataDir, { recursive: true }));
  await using _mongod = await openMongod({ env: process.env, dataDir, port });
  await using store = await opening;
  await store.ping();
});

test("a database that hangs does not answer within five seconds", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-hangs-"));
  await using after = new AsyncDisposableStack();
  after.defer(() => rm(dataDir, { recursive: true }));
  const mongod = after.use(await openMongod({ env: process.env, dataDir }));
  const store = after.use(await openStore({ url: mongod.url }));
  mongod.signal("SIGSTOP");
  after.defer(() => mongod.signal("SIGCONT"));
  const pingForever = async () => {
    // It may still answer for a moment.
    for (;;) await store.ping();
  };
  await assert.rejects(pingForever, /no answer within 5000 ms/);
});

test("openStore() stops waiting on its signal, and does not wait after a refusal", async () => {
  const stop = new AbortController();
  const waiting = {
    signal: stop.signal,
    logger: { warn: () => stop.abort() },
  };
  const nobody = openStore({ url: "mongodb://127.0.0.1:1/ledger", waiting });
  await assert.rejects(nobody, (error) => error === stop.signal.reason);
  await using mongod = await openTestMongo();
  const refused = new URL(mongod.url);
  refused.username = "jane";
  refused.password = "wrong";
  refused.searchParams.set("authSource", "admin");
  const patient = { signal: new AbortController().signal, logger: { warn: assert.fail } };
  await assert.rejects(openStore({ url: refused.href, waiting: patient }), /Authentication failed/);
});

test("openStore() reveals no password of a connection string that the driver cannot read", async () => {
  for (
    const rest of [
      "",
      "@127.0.0.1:x/",
      "#x@127.0.0.1/",
      "@h/?tls=maybe",
      "@",
      "@h/?a=b",
      "/x@h/?tls=maybe",
    ]
  ) {
    const url = `mongodb://jane:Canary123${rest}`;
    await assert.rejects(openStore({ url }), (error: Error) => {
      assert.match(error.message, /^Cannot open the database: /);
      assert.doesNotMatch(inspect(error, { depth: 9 }), /Canary/, url);
      return true;
    });
  }
});

test("createAccount() creates accounts that are found by id and by name, and refuses a duplicate name", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const account = await store.accounts.create({ name: "Acme" });
  assert.match(account._id, /^acc_[0-9a-z]{26}$/);
  assert.deepEqual(await store.accounts.find(account._id), account);
  assert.deepEqual(await store.accounts.find("Acme"), account);
  assert.equal(await store.accounts.find("Nobody"), null);
  await assert.rejects(store.accounts.create({ name: "Acme" }), (error: Error) => {
    assert.ok(error instanceof NameTakenError);
    return error.message === 'Cannot create account "Acme": the name is taken';
  });
  await store.accounts.create({ name: "Aardvark" });
  assert.deepEqual((await store.accounts.list()).map(({ name }) => name), ["Aardvark", "Acme"]);
});

test("ensureIndexes() leaves no operation that reads more than it needs or sorts in memory", async () => {
  await using opened = await openTestStore();
  const { store, db } = opened;
  const now = new Date("2026-01-01T00:10:00Z");
  const send = testSend({ idempotency: { key: "k", bodyHash: "h" }, messageCount: 2 });
  const accountId = send.accountId;
  for (let n = 0; n < 30; n++) {
    const later = {
      acceptedAt: new Date("2027-01-01"),
      idempotency: { key: `${n}`, bodyHash: "" },
    };
    await store.sends.accept(testSend(later));
    await store.templates.publish(welcome(accountId, `other-${n}`));
  }
  await db.command({ profile: 2 });
  await store.accounts.create({ name: "Acme" });
  await store.accounts.find("Acme");
  await store.accounts.list();
  const { token, record } = await store.tokens.create({ accountId, name: "t", scopes: [] });
  await store.tokens.find(token);
  await store.tokens.touch(record);
  await store.tokens.list(accountId);
  await store.tokens.revoke(accountId, record._id);
  const { template } = await store.templates.publish(welcome(accountId, "a"));
  await store.templates.find(accountId, "email", "a");
  await store.templates.find(accountId, "email", template.id);
  await store.templates.findVersion(accountId, "email", template.id, 1);
  await store.templates.list(accountId, "email");
  await store.integrations.upsertByName({
    ...{ accountId, name: "S", host: "h", port: 25, tls: "none", auth: null },
    senders: ["a@example.com"],
  });
  await store.integrations.update(accountId, 1, { port: 26 });
  await store.integrations.list(accountId);
  await store.sends.accept(send);
  await store.sends.accept(testSend({ idempotency: { key: "k", bodyHash: "h" } }));
  await store.sends.find(accountId, send._id);
  await store.sends.findByIdempotencyKey(accountId, "k");
  await store.sends.list(accountId, { limit: 5, before: "snd_z" });
  assert.equal((await store.sends.listToReconcile(now, 10)).length, 1);
  await store.sends.claimReconciliation([send._id, "snd_none"], { now, reconcileAt: now });
  await store.sends.planReconciliation([send._id], { claimedUntil: now, reconcileAt: now });
  await takeAttempt(store, { messageId: messageIdOf(send._id, 0), attempt: 1 });
  const messageId = messageIdOf(send._id, 0);
  await endAttempt(store, "sent", { messageId, attempt: 1, at: now });
  await endAttempt(store, "sent", { messageId, attempt: 1, at: now });
  await store.sends.identify([messageId]);
  await store.waiting.integrationsDue(now);
  await store.waiting.queueSend(send);
  await store.waiting.integrationsWaitedFor();
  await store.waiting.listSends(`${accountId}/1`, { limit: 9 });
  await store.waiting.dueMessages(`${accountId}/1`, { now, limit: 9 });
  await store.sends.finished([send._id]);
  await store.messages.find(accountId, messageId);
  await store.messages.list(accountId, send._id);
  await store.messages.countStates(accountId, [send._id, testSend()._id]);
  await store.messages.unfinished(send);
  await store.messages.unfinishedOf([send, testSend()]);
  await store.sends.settle([send], now);
  await store.sends.expireIdempotencyKeys(new Date("2026-01-08T00:10:00Z"));
  await db.command({ profile: 0 });

  const profile = db.collection("system.profile");
  const planned = await profile.countDocuments({ planSummary: { $exists: true } });
  assert.ok(planned > 40, `${planned} operations with a plan`);
  const wasteful = await profile.find({
    ns: { $not: /system/ },
    $or: [
      { planSummary: /COLLSCAN/ },
      { hasSortStage: true },
      { $expr: { $gt: ["$docsExamined", { $add: [5, { $ifNull: ["$nreturned", 0] }] }] } },
    ],
  }).project({ ns: 1, command: 1, planSummary: 1, docsExamined: 1 }).toArray();
  assert.deepEqual(wasteful, []);
});

function welcome(accountId: string, alias: string): Publication {
  const parts = { subject: "", html: "", text: "" };
  const source = { subject: "" };
  return {
    ...{
      kind: "email",
      accountId,
      alias,
      name: "A",
      source,
      parts,
      variables: [],
      sourceHash: "h",
    },
  };
}
