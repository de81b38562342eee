import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@posthaste/embedded";
import { openBus } from "@posthaste/messaging";
import { openStore } from "@posthaste/storage";
import { byDay, openTestMongo, openTestNats, takesLong, until } from "@posthaste/kit";
import { ACCOUNT, openTestApp, SEND, smallSend } from "./_test_app.ts";

takesLong();

const KEY = { "idempotency-key": "order-42" };

test("acceptSend() makes one send of 100 concurrent duplicates over two processes' stores", async () => {
  await using mongo = await openTestMongo();
  await using first = await openStore({ url: mongo.url });
  await using second = await openStore({ url: mongo.url });
  await first.ensureIndexes();
  const apps = [first, second].map(({ sends }) =>
    openTestApp({
      sends: {
        accept: sends.accept,
        findByIdempotencyKey: sends.findByIdempotencyKey,
      },
    })
  );
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => apps.map((api) => api.post(SEND, smallSend(), KEY))).flat(),
  );
  assert.deepEqual(answers.map(({ status }) => status), Array(100).fill(200));
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
  const firsts = answers.filter(({ headers }) => headers["idempotent-replayed"] === "false");
  assert.equal(firsts.length, 1);
  assert.equal((await first.sends.list(ACCOUNT, { limit: 10 })).length, 1);
  assert.equal(apps.flatMap(({ dispatched }) => dispatched).length, 1);
  for (const { app } of apps) await app.close();
});

test("acceptSend() finds or makes the one send when a request is repeated after a crash at any point", async () => {
  await using mongo = await openTestMongo();
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  await using store = await openStore({ url: mongo.url });
  const { path, token, accountId } = await fill(store);
  const env = { MONGODB_URL: mongo.url, NATS_URL: nats.url };
  const early = byDay(["after_key"], ["before_accept", "after_key"]);
  // Each starts a process. By day one before the acceptance is stored, and one after it.
  const points = [...early, "after_accept", ...byDay([], ["before_answer", "after_dispatch"])];
  const post = (url: string, key: string) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify(smallSend()),
    });
  for (const point of points) {
    await using crashing = await startApi({ ...env, POSTHASTE_CRASH_AT: `api.${point}` });
    await post(crashing.url, point).catch(() => {});
    const message = `the end at ${point}`;
    await until(() => crashing.child.signalCode === "SIGKILL", { message });
  }
  await using api = await startApi(env);
  for (const point of points) {
    const written = await store.sends.findByIdempotencyKey(accountId, point);
    assert.equal(written === null, early.includes(point));
    const answer = await post(api.url, point);
    assert.equal(answer.status, 200);
    const replayed = answer.headers.get("idempotent-replayed");
    assert.equal(replayed, String(written !== null));
    const { id } = await answer.json() as { id: string };
    if (written !== null) assert.equal(id, written._id);
  }
  assert.equal((await store.sends.list(accountId, { limit: 10 })).length, points.length);
});

async function fill(store: Awaited<ReturnType<typeof openStore>>) {
  await store.ensureIndexes();
  const { _id: accountId } = await store.accounts.create({ name: "shop" });
  const { token } = await store.tokens.create({ accountId, name: "shop", scopes: ["send"] });
  const parts = { subject: "Hi", html: "<p>Hi</p>", text: "Hi" };
  const common = { accountId, variables: [], sourceHash: "", name: "Hi", source: parts, parts };
  await store.templates.publish({ ...common, kind: "email", alias: "hi" });
  const { id } = await store.integrations.create({
    accountId,
    name: "sink",
    host: "127.0.0.1",
    port: 25,
    tls: "none",
    auth: null,
    senders: ["shop@example.com"],
  });
  return { accountId, token, path: `/v1/templates/hi/send/${id}` };
}

/** Starts the service as a process of its own. */
async function startApi(env: Record<string, string>) {
  const port = await freePort();
  const main = fileURLToPath(import.meta.resolve("./main.ts"));
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      PORT: String(port),
      HOST: "127.0.0.1",
      ...env,
    },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  await until(() => fetch(url).then(() => true), { message: "the api" });
  return {
    url,
    child,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
