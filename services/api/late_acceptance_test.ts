import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openMongod } from "@posthaste/embedded";
import { openStore } from "@posthaste/storage";
import { until } from "@posthaste/kit";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ACCOUNT, openTestApp, SEND, smallSend } from "./_test_app.ts";
import type { Acceptance } from "@posthaste/storage";

const HOUR = 3_600_000;

/** Opens an interface on a database of its own, which stops at the next acceptance. */
async function openStoppableApp() {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-api-"));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const mongod = stack.use(await openMongod({ env: process.env, dataDir }));
  const store = stack.use(await openStore({ url: mongod.url }));
  await store.ensureIndexes();
  let stopNext = false;
  const accepting: Promise<Acceptance>[] = [];
  let answered = 0;
  const { sends } = store;
  const api = stack.use(openTestApp({
    sends: {
      withdraw: sends.withdraw,
      find: sends.find,
      findByIdempotencyKey: sends.findByIdempotencyKey,
      accept: async (send) => {
        if (stopNext) {
          mongod.signal("SIGSTOP");
          await until(() => isStopped(mongod.pid), { message: "the database to stop" });
        }
        const accepted = store.sends.accept(send);
        accepting.push(accepted);
        accepted.finally(() => answered++).catch(() => {});
        return accepted;
      },
    },
  }, { ledgerTimeoutMs: 400 }));
  const rest = stack.move();
  return {
    api,
    store,
    accepting,
    /** Acceptances that the ledger has answered. */
    answered: () => answered,
    stopAtNext: () => void (stopNext = true),
    goOn() {
      stopNext = false;
      mongod.signal("SIGCONT");
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

/** On a busy machine a stopped process continues until the thread that handles the signal runs. */
async function isStopped(pid: number): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const stats = await Promise.all(
    (await readdir(`/proc/${pid}/task`)).map((task) =>
      readFile(`/proc/${pid}/task/${task}/stat`, "latin1").catch(() => ") T")
    ),
  );
  return stats.every((stat) => stat.slice(stat.lastIndexOf(")")).startsWith(") T"));
}

test("acceptSend() after a 503 from a late ledger never sends without a key, and sends once with a key", async () => {
  await using open = await openStoppableApp();
  const { api, store, accepting } = open;
  const before = await api.post(SEND, smallSend());
  assert.equal(before.status, 200);
  const key = { "idempotency-key": "order-1" };
  open.stopAtNext();
  // The look-up of the key must come through before the first acceptance stops the database.
  const keyed = await api.post(SEND, smallSend(), key);
  const keyless = await Promise.all(Array.from({ length: 5 }, () => api.post(SEND, smallSend())));
  for (const { status, headers, body } of [keyed, ...keyless]) {
    assert.equal(status, 503);
    assert.equal(body.code, "unavailable");
    assert.equal(headers["retry-after"], "2");
  }
  // On a busy machine callers get their error before the acceptances have seen the database stop.
  await until(() => open.accepting.length === 7, { message: "all acceptances to begin" });
  assert.equal(open.answered(), 1, "the callers were answered before the database was");
  assert.equal(api.dispatched.length, 1);
  open.goOn();
  // All of them were written nevertheless.
  for (const accepted of await Promise.all(accepting)) {
    assert.deepEqual(accepted, { accepted: true });
  }
  const [lateKeyed] = await until(async () => {
    const sends = await store.sends.list(ACCOUNT, { limit: 100 });
    return sends.length === 2 && sends;
  }, { message: "the withdrawals" });
  assert.equal((await store.sends.findByIdempotencyKey(ACCOUNT, "order-1"))?._id, lateKeyed?._id);
  const due = await store.sends.listToReconcile(new Date(Date.now() + HOUR), 100);
  assert.deepEqual(new Set(due.map(({ _id }) => _id)), new Set([before.body.id, lateKeyed?._id]));
  const repeated = await api.post(SEND, smallSend(), key);
  assert.equal(repeated.status, 200);
  assert.equal(repeated.body.id, lateKeyed?._id);
  assert.deepEqual(api.dispatched.map(({ _id }) => _id), [before.body.id, lateKeyed?._id]);
});

test("follow() withdraws until the ledger answers, also after failures", async () => {
  const withdrawn: string[] = [];
  let failures = 0;
  await using api = openTestApp({
    sends: {
      accept: () => Promise.reject(new Error("the connection broke")),
      withdraw: ({ _id }) => {
        if (failures++ < 2) return Promise.reject(new Error("still away"));
        withdrawn.push(_id);
        return Promise.resolve(true);
      },
    },
  });
  assert.equal((await api.post(SEND, smallSend())).status, 503);
  assert.equal((await api.post(SEND, smallSend(), { "idempotency-key": "a" })).status, 503);
  await until(() => withdrawn.length === 1);
  assert.equal(failures, 3);
  assert.equal(api.dispatched.length, 0);
});

test("buildApp() accepts no more sends without a key than it can withdraw", async () => {
  let accepted = 0;
  const { promise: back, resolve } = Promise.withResolvers<boolean>();
  await using api = openTestApp({
    sends: {
      accept: () => {
        accepted++;
        return Promise.reject(new Error("away"));
      },
      withdraw: () => back,
    },
  });
  for (let i = 0; i < 1010; i++) assert.equal((await api.post(SEND, smallSend())).status, 503);
  assert.equal(accepted, 1000);
  await api.post(SEND, smallSend(), { "idempotency-key": "a" });
  assert.equal(accepted, 1001);
  resolve(true);
  await until(async () => {
    await api.post(SEND, smallSend());
    return accepted > 1001;
  });
});

test("openLateAcceptances() waits for open withdrawals when it is disposed", async () => {
  const { promise: back, resolve: withdraw } = Promise.withResolvers<boolean>();
  const api = openTestApp({
    sends: {
      accept: () => Promise.reject(new Error("away")),
      withdraw: () => back,
    },
  });
  await api.post(SEND, smallSend());
  const closed = api.app.close().then(() => "closed");
  assert.equal(await Promise.race([closed, delay(50, "open")]), "open");
  withdraw(true);
  assert.equal(await closed, "closed");
});
