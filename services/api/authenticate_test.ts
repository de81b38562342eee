import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as turn } from "node:timers/promises";
import type { AccessToken } from "@posthaste/contracts";
import { openTestApp } from "./_test_app.ts";

const PATH = "/v1/templates/5/render";
const TOKEN: AccessToken = {
  _id: "hash",
  accountId: "acc_1",
  name: "",
  prefix: "",
  scopes: ["render"],
  createdAt: new Date(0),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdBy: null,
};

function countLookups(found: AccessToken | null) {
  const counted = { lookups: 0, touches: 0 };
  const deps = {
    findToken: () => {
      counted.lookups++;
      return Promise.resolve(found);
    },
    touchToken: () => {
      counted.touches++;
      return Promise.reject(new Error("not now"));
    },
  };
  return { counted, deps };
}

test("authenticate() looks a token up once for many requests, and touches it once", async () => {
  const { counted, deps } = countLookups(TOKEN);
  await using api = openTestApp(deps);
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.post(PATH, {})));
  assert.ok(answers.every(({ status }) => status === 200));
  await api.post(PATH, {});
  assert.deepEqual(counted, { lookups: 1, touches: 1 });
});

test("authenticate() remembers that there is no such token", async () => {
  const { counted, deps } = countLookups(null);
  await using api = openTestApp(deps);
  for (let i = 0; i < 3; i++) assert.equal((await api.post(PATH, {})).status, 401);
  assert.deepEqual(counted, { lookups: 1, touches: 0 });
});

test("authenticate() sees a revocation within 5 s", async () => {
  let token = TOKEN;
  let elapsed = 1_000_000;
  await using api = openTestApp({
    findToken: () => Promise.resolve(token),
    clock: { now: () => elapsed },
  });
  assert.equal((await api.post(PATH, {})).status, 200);
  token = { ...TOKEN, revokedAt: new Date() };
  assert.equal((await api.post(PATH, {})).status, 200);
  elapsed += 4500;
  assert.equal((await api.post(PATH, {})).status, 401);
});

test("authenticate() counts the 5 s from the question, for a database that is slow to answer", async () => {
  let token = TOKEN;
  let elapsed = 1_000_000;
  await using api = openTestApp({
    findToken: () => {
      const read = token;
      elapsed += 3000;
      return Promise.resolve(read);
    },
    clock: { now: () => elapsed },
  });
  assert.equal((await api.post(PATH, {})).status, 200);
  token = { ...TOKEN, revokedAt: new Date() };
  elapsed += 1500;
  assert.equal((await api.post(PATH, {})).status, 401);
});

test("authenticate() takes no answer that a twin has waited for too long", async () => {
  let elapsed = 1_000_000;
  const slow = Promise.withResolvers<AccessToken>();
  const lookups = [slow.promise, Promise.resolve({ ...TOKEN, revokedAt: new Date() })];
  await using api = openTestApp({
    findToken: () => lookups.shift() ?? assert.fail("it asked too often"),
    clock: { now: () => elapsed },
  });
  const first = api.post(PATH, {});
  await turn();
  elapsed += 4500;
  const twin = api.post(PATH, {});
  await turn();
  slow.resolve(TOKEN);
  assert.deepEqual([(await first).status, (await twin).status], [401, 401]);
  assert.deepEqual(lookups, []);
});

test("authenticate() notices that a token expires while it is remembered", async () => {
  let now = new Date(1000);
  await using api = openTestApp({
    findToken: () => Promise.resolve({ ...TOKEN, expiresAt: new Date(2000) }),
    now: () => now,
  });
  assert.equal((await api.post(PATH, {})).status, 200);
  now = new Date(2000);
  assert.equal((await api.post(PATH, {})).status, 401);
});

test("authenticate() does not remember a failed look-up", async () => {
  let isDown = true;
  await using api = openTestApp({
    findToken: () => isDown ? Promise.reject(new Error("down")) : Promise.resolve(TOKEN),
  });
  assert.equal((await api.post(PATH, {})).status, 503);
  isDown = false;
  assert.equal((await api.post(PATH, {})).status, 200);
});
