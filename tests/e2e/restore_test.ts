import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { SendAccepted } from "@posthaste/contracts";
import { MAIL_SERVICES } from "@posthaste/dev";
import { freePort } from "@posthaste/embedded";
import { nightly, openSmtpSink, type SmtpSink, until } from "@posthaste/kit";
import { MongoClient } from "mongodb";
import { openSystem, type System } from "./system.ts";
import { openTimeTravel, type TimeTravel } from "./time_travel.ts";

nightly("cli/operations_test.ts", "services/tracker/leader_lease_test.ts");

let system: System;
let sink: SmtpSink;
let travel: TimeTravel;
let template: number;
let healthy: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  // Mail waits in every queue when the backup is made.
  sink = stack.use(
    await openSmtpSink({
      script: ({ stage }) => stage === "dot" ? { delayMs: 60 } : undefined,
    }),
  );
  const settings = {
    tracker: { RECONCILE_INTERVAL: "200ms", RECONCILE_GRACE: "2s", RELEASE_INTERVAL: "100ms" },
    mailer: { TRANSFER_TIMEOUT: "5s", REPLY_TIMEOUT: "2s" },
  };
  system = stack.use(await openSystem({ settings }));
  travel = stack.use(openTimeTravel(system));
  healthy = await system.connect(sink.port);
  template = await system.publishEmail({ subject: "No {{ n }}", html: "<p>{{ n }}" });
  opened = stack.move();
});
after(() => opened?.disposeAsync());

function send(name: string, count: number, integration = healthy): Promise<SendAccepted> {
  const to = Array.from({ length: count }, (_, n) => ({
    email: `${name}-${n}@restored.example`,
    variables: { n },
  }));
  return system.send({ template, integration, to }, { headers: { "idempotency-key": name } });
}

/** The operator's command line, on the system under test. */
async function posthaste(args: string[], masterKey = system.stack.masterKey) {
  const { mongodbUrl, natsUrl } = system.stack;
  const child = spawn(process.execPath, [
    join(import.meta.dirname, "../../cli/main.ts"),
    ...[...args, "--json"],
  ], {
    env: { ...process.env, MONGODB_URL: mongodbUrl, NATS_URL: natsUrl, MASTER_KEY: masterKey },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [code, stdout, stderr] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stderr, result: stdout === "" ? undefined : JSON.parse(stdout) };
}

/** Copies the files of the running database, as a snapshot of its volume does. */
async function snapshot(from: string, to: string): Promise<void> {
  await using client = await new MongoClient(system.stack.mongodbUrl).connect();
  const admin = client.db("admin");
  await admin.command({ fsync: 1, lock: true });
  try {
    await cp(from, to, { recursive: true });
  } finally {
    await admin.command({ fsyncUnlock: 1 });
  }
}

/** Ends services, and waits until they have ended. */
async function end(
  names: readonly (typeof MAIL_SERVICES)[number][],
  signal: NodeJS.Signals,
): Promise<void> {
  const { services } = system.stack;
  for (const name of names) services.get(name)?.signal(signal);
  await Promise.all(names.map((name) => services.get(name)?.exited));
}

/** Holds as an operator does, who lacks a master key of one integration. */
async function hold(backupAt: Date, lostAt: Date) {
  const held = await posthaste([
    ...["restored", "hold", "--backup", backupAt.toISOString(), "--lost", lostAt.toISOString()],
  ]);
  assert.equal(held.code, 1, held.stderr);
  assert.match(held.stderr, /master key "lost" is not configured/);
  return held;
}

function arrivals(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { envelope } of sink.messages) {
    const to = envelope.to.join();
    counts.set(to, (counts.get(to) ?? 0) + 1);
  }
  return counts;
}

function assertNoneTwice(): void {
  for (const [to, count] of arrivals()) assert.equal(count, 1, `${to} came ${count} times`);
}

test("a ledger that was restored to a running system's backup sends nothing twice by itself", async () => {
  const { stack, accountId } = system;
  const { mongod, nats } = stack;
  assert.ok(mongod && nats);
  const data = dirname(stack.masterKeyFile);
  const [live, backup] = [join(data, "mongodb"), join(data, "backup")];
  const away = await system.connect(await freePort());
  await system.connect(sink.port, {
    auth: () => ({
      user: "x",
      password: { keyId: "lost", wrappedKey: "", nonce: "", ciphertext: "" },
      method: null,
    }),
  });
  const sends = [await send("before-0", 30), await send("away", 3, away)];
  // It was tried, and is tried again only after the loss.
  const waits = sends[1]?.messages[0]?.id ?? "";
  await until(async () => (await system.message(waits)).state === "deferred");

  const loading = (async () => {
    for (let n = 1; n <= 6; n++) sends.push(await send(`before-${n}`, 12));
  })();
  await until(() => sink.messages.length > 5);
  await loading;
  const backupAt = new Date();
  await snapshot(live, backup);
  const atBackup = new Set(arrivals().keys());
  const later = await send("after", 5);
  await until(() => arrivals().size >= atBackup.size + 20);

  await end(MAIL_SERVICES, "SIGKILL");
  const lostAt = new Date();
  await Promise.all([mongod.kill(), nats.kill()]);
  await rm(live, { recursive: true });
  await rm(join(data, "nats", "jetstream"), { recursive: true });
  await cp(backup, live, { recursive: true });
  await Promise.all([mongod.restart(), nats.restart()]);
  assertNoneTwice();
  const sentBefore = new Set(arrivals().keys());

  assert.equal((await posthaste(["migrate"])).code, 0);
  const { result: { held } } = await hold(backupAt, lostAt);
  assert.ok(held >= 20, `${held} held`);
  await Promise.all(MAIL_SERVICES.map((name) => stack.restart(name)));

  const [fresh] = await Promise.all([send("fresh", 3), travel.reconcileNow(), delay(3000)]);
  await until(() => arrivals().has("fresh-2@restored.example"));
  assert.equal(arrivals().size, sentBefore.size + 3, "what was held stays where it is");
  assertNoneTwice();
  assert.equal((await system.get(`/sends/${later.id}`)).status, 404);

  const [group] = (await posthaste(["restored", "list"])).result;
  assert.equal(group.integrationId, healthy);
  // Mail that certainly has not arrived is sent; the receiver's list proves it.
  let released = 0;
  for (const { messages } of sends) {
    for (const { id, email } of messages) {
      if (sentBefore.has(email) || (await system.message(id)).state !== "unknown") continue;
      await system.store.messages.retry(accountId, id, { now: new Date() });
      released++;
    }
  }
  await until(() => arrivals().size === sentBefore.size + 3 + released);
  const closed = await posthaste(["restored", "close", "--account", accountId]);
  assert.equal(closed.result.closed, held - released);
  assertNoneTwice();
  for (const { id } of [...sends, fresh]) {
    const { states } = await system.untilResting(id);
    assert.deepEqual(
      Object.keys(states).filter((state) => !["sent", "failed", "deferred"].includes(state)),
      [],
    );
  }
});

test("a ledger that was restored beside a living broker sends nothing twice, although nobody has held its mail", async () => {
  const { stack } = system;
  const { mongod } = stack;
  assert.ok(mongod);
  const data = dirname(stack.masterKeyFile);
  const [live, backup] = [join(data, "mongodb"), join(data, "later-backup")];
  const known = arrivals().size;
  await send("unheld", 60);
  await until(() => arrivals().size > known);
  const backupAt = new Date();
  await snapshot(live, backup);
  assert.ok(arrivals().size < known + 60, "the backup has mail to send");
  // A leader renews its lease, and the mail goes out.
  await Promise.all([delay(2500), until(() => arrivals().size === known + 60)]);

  await end(MAIL_SERVICES, "SIGKILL");
  const lostAt = new Date();
  await mongod.kill();
  await rm(live, { recursive: true });
  await cp(backup, live, { recursive: true });
  await mongod.restart();

  const others = MAIL_SERVICES.filter((name) => name !== "tracker");
  await Promise.all(others.map((name) => stack.restart(name)));
  await send("unheld-new", 3);
  await until(() => arrivals().has("unheld-new-2@restored.example"));
  const check = await posthaste(["check", "--max-fill", "100"]);
  assert.equal(check.code, 1, check.stderr);
  assert.match(JSON.stringify(check.result.findings), /it lacks what happened until/);
  // Trackers start only now, and refuse.
  const refused = assert.rejects(stack.restart("tracker"), /posthaste restored hold/);
  await Promise.all([travel.reconcileNow(), refused]);
  assertNoneTwice();

  await end(others, "SIGTERM");
  await hold(backupAt, lostAt);
  await Promise.all(MAIL_SERVICES.map((name) => stack.restart(name)));
  await send("held-new", 3);
  await until(() => arrivals().has("held-new-2@restored.example"));
  await Promise.all([travel.reconcileNow(), delay(2000)]);
  assertNoneTwice();
  assert.equal((await posthaste(["check", "--max-fill", "100"])).code, 0);
});
