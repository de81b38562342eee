import assert from "node:assert/strict";
import { test } from "node:test";
import { type HealthOptions, openHealth } from "./health.ts";

async function openTestHealth(options: HealthOptions = {}) {
  const health = await openHealth({ port: 0, host: "127.0.0.1", ...options });
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${health.port}${path}`);
    return { status: response.status, body: await response.json() };
  };
  return { health, get, [Symbol.asyncDispose]: () => health[Symbol.asyncDispose]() };
}

test("openHealth() is alive immediately and ready only when there are checks that pass", async () => {
  await using server = await openTestHealth();
  assert.equal((await server.get("/livez")).status, 200);
  assert.deepEqual(await server.get("/readyz"), {
    status: 503,
    body: { status: "starting", failing: {} },
  });
  server.health.add("mongo", () => Promise.resolve());
  assert.equal((await server.get("/readyz")).status, 200);
  assert.equal((await server.get("/metrics")).status, 404);
});

test("openHealth() names the checks that fail and those that do not answer", async () => {
  await using server = await openTestHealth({
    checks: {
      good: () => true,
      bad: () => Promise.reject(new Error("no route")),
      no: () => false,
      slow: () => new Promise(() => {}),
    },
  });
  const { status, body } = await server.get("/readyz");
  assert.equal(status, 503);
  assert.deepEqual(body, {
    status: "failing",
    failing: { bad: "no route", no: "the check failed", slow: "no answer within 2000 ms" },
  });
});

test("openHealth() asks a check at most once a second", async () => {
  let asked = 0;
  await using server = await openTestHealth({ checks: { mongo: () => void asked++ } });
  await Promise.all([server.get("/readyz"), server.get("/readyz"), server.get("/readyz")]);
  await server.get("/readyz");
  assert.equal(asked, 1);
});

test("openHealth() is not ready as soon as the signal is aborted, and still alive", async () => {
  const controller = new AbortController();
  await using server = await openTestHealth({
    checks: { a: () => true },
    signal: controller.signal,
  });
  assert.equal((await server.get("/readyz")).status, 200);
  controller.abort();
  assert.equal((await server.get("/readyz")).body.status, "stopping");
  assert.equal((await server.get("/livez")).status, 200);
});

test("openHealth() listens nowhere without a port, and says so of a port that is taken", async () => {
  await using quiet = await openHealth({ checks: { a: () => true } });
  assert.equal(quiet.port, undefined);
  assert.equal((await quiet.ask()).status, "ready");
  await using server = await openTestHealth();
  await assert.rejects(openHealth({ port: server.health.port ?? -1, host: "127.0.0.1" }), {
    code: "EADDRINUSE",
  });
});
