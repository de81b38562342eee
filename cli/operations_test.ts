import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { messageIdOf, newSendId, type Send } from "@posthaste/contracts";
import { openMongod } from "@posthaste/embedded";
import { type Bus, openBus } from "@posthaste/messaging";
import { LedgerVersionError, openStore, type Store } from "@posthaste/storage";
import { byDay, openTestMongo, openTestNats, testSend, voidAttempt } from "@posthaste/kit";
import { type CliOptions, runCli, runCliProcess } from "./_run_cli.ts";
import { databaseRemedy } from "./database_remedy.ts";
import { EXIT } from "./exit_code.ts";

const MASTER_KEY = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
let store: Store;
let bus: Bus;
let env: Record<string, string>;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.use(await openTestMongo());
  const nats = stack.use(await openTestNats());
  store = stack.use(await openStore({ url: mongo.url }));
  await store.ensureIndexes();
  bus = stack.use(await openBus({ url: nats.url, name: "test" }));
  await bus.applyTopology();
  env = { MONGODB_URL: mongo.url, NATS_URL: nats.url, MASTER_KEY };
  opened = stack.move();
});
after(() => opened?.disposeAsync());

function run(args: string, options: CliOptions = {}) {
  return runCli(args.split(" "), { ...options, env: { ...env, ...options.env } });
}

async function accept(accountId: string, messageCount: number): Promise<Send> {
  const send = testSend({ accountId, acceptedAt: new Date(), messageCount });
  await store.sends.accept(send);
  return send;
}

test("restoredCommand() holds messages that may have been sent, writes outcomes from status events, and applies a person's decision", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "restored-shop" });
  const backup = new Date();
  const send = await accept(accountId, 5);
  const statusEvent = (index: number) => ({
    ...{ messageId: messageIdOf(send._id, index), sendId: send._id, accountId },
    ...{ index, attempt: 1, at: new Date().toISOString() },
  });
  await bus.publish({
    type: "status.message.sent",
    data: { v: 3, outcomes: [{ ...statusEvent(0), reply: { code: 250, response: "Ok" } }] },
  });
  await bus.publish({
    type: "status.message.failed",
    data: { v: 3, outcomes: [{ ...statusEvent(1), stage: "mailer", reason: "No such mailbox" }] },
  });
  const lost = newSendId(accountId);
  await bus.publish({
    type: "status.send.accepted",
    data: { v: 2, sendId: lost, accountId, at: new Date().toISOString() },
  });
  const [recipient] = send.request.to;
  await bus.publish({
    type: "messages.rendered",
    data: {
      ...{ v: 2, sendId: send._id, accountId, priority: "transactional" },
      ...{ acceptedAt: send.acceptedAt.toISOString(), integrationId: 1, from: send.request.from },
      messages: [{
        ...{ index: 2, attempt: 0, to: recipient!, pdfs: [] },
        ...{ subject: "x", html: { inline: "x" }, text: { inline: "x" } },
      }],
    },
  });

  // A leader renewed its lease after the backup.
  await bus.publish({ type: "status.lease.renewed", data: { v: 2, renewals: 1 } });
  const before = await run("check --max-fill 100");
  assert.equal(before.code, EXIT.failed);
  assert.match(before.stdout, /WRONG +age of the ledger +it lacks what happened until /);

  const hold = await run(`restored hold --backup ${backup.toISOString()}`);
  assert.equal(hold.code, EXIT.failed, hold.stderr);
  assert.match(hold.stderr, new RegExp(`not in the backup: ${lost}`));
  assert.match(hold.stdout, /5 messages held; the broker reported outcomes for 2/);
  assert.match(hold.stdout, /1 event removed from the queues/);
  const states = async () =>
    (await store.messages.list(accountId, send._id))?.map(({ state }) => state);
  assert.deepEqual(await states(), ["sent", "failed", "unknown", "unknown", "unknown"]);

  assert.match((await run("check --max-fill 100")).stdout, /ok +age of the ledger +current/);

  const list = await run("restored list");
  assert.match(list.stdout, /restored-shop +1 +3 /);
  const none = await run("restored release --account restored-shop --integration 9 --json");
  assert.deepEqual(JSON.parse(none.stdout), { released: 0 });
  const soon = new Date(Date.now() + 60_000).toISOString();
  const late = await run(`restored release --account restored-shop --from ${soon} --json`);
  assert.deepEqual(JSON.parse(late.stdout), { released: 0 });
  await store.messages.retry(accountId, messageIdOf(send._id, 2), { now: new Date() });
  const closed = await run("restored close --account restored-shop --integration 1 --json");
  assert.deepEqual(JSON.parse(closed.stdout), { closed: 2 });
  assert.deepEqual(await states(), ["sent", "failed", "deferred", "failed", "failed"]);
});

test("restoredCommand() refuses while a mailer runs, and a time that is none", async () => {
  await using running = await announcing();
  const refused = await run("restored hold --backup 2026-11-22T03:00Z");
  assert.equal(refused.code, EXIT.refused, running.id);
  assert.match(refused.stderr, /1 mailer still running\nremedy: stop every service/);
  assert.equal((await run("restored hold --backup yesterday")).code, EXIT.usage);
});

test("restoredCommand() names the remedy where the broker lacks streams or its address is a service's", async () => {
  const hold = "restored hold --backup 2026-11-22T03:00Z";
  await using empty = await openTestNats();
  const missing = await run(hold, { env: { NATS_URL: empty.url } });
  assert.equal(missing.code, EXIT.failed);
  assert.match(missing.stderr, /streams are missing: .*MAIL.*\nremedy: run "posthaste migrate"/);
  const prefixed = await run(hold, { env: { NATS_URL: `${empty.url}?api=OPERATOR.other` } });
  assert.equal(prefixed.code, EXIT.failed);
  assert.match(prefixed.stderr, /^error: Cannot use the broker: .*\nremedy: .*operator's address/);
});

test("each command names the remedy for a refused login and for a ledger of a newer version", async () => {
  await using mongo = await openTestMongo();
  const login = mongo.url.replace(/\/\/([^@/]*@)?/, "//nobody:wrong@");
  const refused = await run("accounts list", { env: { MONGODB_URL: login } });
  assert.equal(refused.code, EXIT.failed);
  assert.match(
    refused.stderr,
    /failed\.\nremedy: check the user and the password in MONGODB_URL\n$/,
  );
  const cause = new LedgerVersionError("its documents are too new: start a newer version");
  const newer = new Error(`Cannot open database "posthaste": ${cause.message}`, { cause });
  assert.equal(databaseRemedy(newer, { remedy: (text) => text }), undefined, "the message says it");
});

/** Announces a mailer, repeatedly. */
async function announcing() {
  const id = "running";
  await store.mailers.announce(id);
  const timer = setInterval(() => void store.mailers.announce(id), 500);
  return {
    id,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await store.mailers.dismiss(id);
    },
  };
}

test("forgetCommand() forgets a person in all accounts, and reports what it could not", async () => {
  const accounts = await Promise.all(
    ["forget-a", "forget-b"].map((name) => store.accounts.create({ name })),
  );
  for (const { _id } of accounts) await accept(_id, 2);
  const done = await run("forget r1@example.com");
  assert.equal(done.code, EXIT.ok, done.stderr);
  assert.match(done.stdout, /^\d+ messages forgotten, \d+ of them canceled\n/);
  for (const { _id } of accounts) {
    const [send] = await store.sends.list(_id, { limit: 1 });
    const found = await store.sends.find(_id, send?._id ?? "");
    assert.deepEqual(found?.request.to.map(({ email }) => email), [
      "r0@example.com",
      "forgotten@forgotten.invalid",
    ]);
  }
  assert.equal((await run("forget nobody")).code, EXIT.usage);
});

test("checkCommand() ends with 1 for a reconciler that is late and an integration that is suspended", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "checked" });
  const well = await runCliProcess(["check", "--max-fill", "100", "--json"], { env });
  const { findings, ok } = JSON.parse(well.stdout);
  assert.equal(ok, true, well.stdout);
  assert.ok(findings.some(({ what }: { what: string }) => what === "storage of MAIL"));
  assert.ok(findings.some(({ what }: { what: string }) => what === "disk of the ledger"));
  const send = await accept(accountId, 1);
  const reconcileAt = new Date(Date.now() - 600_000);
  await store.sends.planReconciliation([send._id], { claimedUntil: send.reconcileAt, reconcileAt });
  const { id, _id, revision } = await store.integrations.create({
    ...{ accountId, name: "dead", host: "h.example", port: 25, tls: "none", auth: null },
    senders: ["a@example.com"],
  });
  await store.integrations.suspend({ _id, revision }, { at: new Date(), reason: "Login refused" });
  const ill = await run("check --max-fill 100");
  assert.equal(ill.code, EXIT.failed);
  assert.match(ill.stdout, /WRONG +reconciler +10 min.* late: check that a tracker runs/);
  assert.match(ill.stdout, new RegExp(`WRONG +integration ${accountId}/${id} .*Login refused`));
  await store.sends.settle([send], new Date());
  await store.integrations.pause(accountId, id, { at: new Date(), reason: "Paused" });
  assert.equal((await run("check --max-fill 100")).code, EXIT.ok);
});

test("checkCommand() names an integration whose server is unreachable, and fails if it is for long", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "away" });
  const { id, _id } = await store.integrations.create({
    ...{ accountId, name: "away", host: "h.example", port: 25, tls: "none", auth: null },
    senders: ["a@example.com"],
  });
  const opened = (ago: number) =>
    store.circuits.countFailure({
      ...{ id: _id, reason: "No answer", pauseMs: () => 30_000 },
      now: new Date(Date.now() - ago),
    });
  const send = await accept(accountId, 3);
  const why = { waitsFor: _id, reason: "No answer" };
  await voidAttempt(store, "deferred", {
    ...{ messageId: messageIdOf(send._id, 0), attempt: 1, at: new Date(), ...why },
  });
  await opened(700_000);
  const long = await run("check --max-fill 100");
  assert.equal(long.code, EXIT.failed, long.stdout);
  assert.match(
    long.stdout,
    new RegExp(
      `WRONG +integration ${accountId}/${id} +"away" is unreachable since .*, 1 message waiting: No answer`,
    ),
  );
  await store.circuits.close(_id);
  await opened(60_000);
  const brief = await run("check --max-fill 100");
  await store.circuits.close(_id);
  assert.equal(brief.code, EXIT.ok, brief.stdout);
  assert.match(brief.stdout, /ok +integration .*"away" is unreachable since .*: No answer/);
});

test("usersCommand() applies the database's users from a file, again and again", async () => {
  const dir = await mkdtemp(join(tmpdir(), "posthaste-users-"));
  try {
    const key = "0123456789abcdef";
    await using mongod = await openMongod({
      ...{ env: process.env, dataDir: join(dir, "db"), isTemporary: true, key },
    });
    const names = ["operator", "api", "renderer", "mailer", "tracker", "webhooks", "dashboard"];
    const file = join(dir, "users.json");
    const passwords = (tail: string) =>
      JSON.stringify(Object.fromEntries(names.map((name) => [name, `${name}-${tail}-0123456789`])));
    const apply = async (text: string, runIt = runCli) => {
      await writeFile(file, text);
      return await runIt(["users", "apply", file], { env: { MONGODB_URL: mongod.url } });
    };
    assert.equal((await apply(passwords("one"))).code, EXIT.ok);
    const again = await apply(passwords("two"), byDay(runCli, runCliProcess));
    assert.equal(again.code, EXIT.ok, again.stderr);
    assert.ok(!`${again.stdout}${again.stderr}`.includes("0123456789"));
    const as = (tail: string) =>
      mongod.url.replace(/\/\/[^@]*@/, `//tracker:tracker-${tail}-0123456789@`)
        .replace("authSource=local", "authSource=admin");
    await (await openStore({ url: as("two") }))[Symbol.asyncDispose]();
    await assert.rejects(openStore({ url: as("one") }), /Authentication failed/);
    const short = await apply(JSON.stringify({ operator: "short" }));
    assert.equal(short.code, EXIT.refused);
    assert.equal((await apply("{")).code, EXIT.usage);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
