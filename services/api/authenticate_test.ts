import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as turn } from "node:timers/promises";
import type { AccessToken } from "@posthaste/contracts";
import { openTestApp, smallSend } from "./_test_app.ts";

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
  ...{ addresses: [], templates: [], integrations: [] },
};

function countLookups(found: AccessToken | null) {
  const counted = { lookups: 0, touches: 0 };
  const deps = {
    tokens: {
      find: () => {
        counted.lookups++;
        return Promise.resolve(found);
      },
      touch: () => {
        counted.touches++;
        return Promise.reject(new Error("not now"));
      },
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

test("authenticate() caches that a token does not exist", async () => {
  const { counted, deps } = countLookups(null);
  await using api = openTestApp(deps);
  for (let i = 0; i < 3; i++) assert.equal((await api.post(PATH, {})).status, 401);
  assert.deepEqual(counted, { lookups: 1, touches: 0 });
});

test("authenticate() sees a revocation within 5 s", async () => {
  let token = TOKEN;
  let elapsed = 1_000_000;
  await using api = openTestApp({
    tokens: { find: () => Promise.resolve(token) },
    clock: { now: () => elapsed },
  });
  assert.equal((await api.post(PATH, {})).status, 200);
  token = { ...TOKEN, revokedAt: new Date() };
  assert.equal((await api.post(PATH, {})).status, 200);
  elapsed += 4500;
  assert.equal((await api.post(PATH, {})).status, 401);
});

test("authenticate() counts the 5 s from the start of the look-up, even if the database is slow", async () => {
  let token = TOKEN;
  let elapsed = 1_000_000;
  await using api = openTestApp({
    tokens: {
      find: () => {
        const read = token;
        elapsed += 3000;
        return Promise.resolve(read);
      },
    },
    clock: { now: () => elapsed },
  });
  assert.equal((await api.post(PATH, {})).status, 200);
  token = { ...TOKEN, revokedAt: new Date() };
  elapsed += 1500;
  assert.equal((await api.post(PATH, {})).status, 401);
});

test("authenticate() does not reuse a look-up that began too long ago", async () => {
  let elapsed = 1_000_000;
  const slow = Promise.withResolvers<AccessToken>();
  const lookups = [slow.promise, Promise.resolve({ ...TOKEN, revokedAt: new Date() })];
  await using api = openTestApp({
    tokens: { find: () => lookups.shift() ?? assert.fail("it asked too often") },
    clock: { now: () => elapsed },
  });
  const first = api.post(PATH, {});
  await turn();
  elapsed += 4500;
  const second = api.post(PATH, {});
  await turn();
  slow.resolve(TOKEN);
  assert.deepEqual([(await first).status, (await second).status], [401, 401]);
  assert.deepEqual(lookups, []);
});

test("authenticate() rejects a cached token that has expired", async () => {
  let now = new Date(1000);
  await using api = openTestApp({
    tokens: { find: () => Promise.resolve({ ...TOKEN, expiresAt: new Date(2000) }) },
    now: () => now,
  });
  assert.equal((await api.post(PATH, {})).status, 200);
  now = new Date(2000);
  assert.equal((await api.post(PATH, {})).status, 401);
});

test("authenticate() does not cache a failed look-up", async () => {
  let isDown = true;
  await using api = openTestApp({
    tokens: { find: () => isDown ? Promise.reject(new Error("down")) : Promise.resolve(TOKEN) },
  });
  assert.equal((await api.post(PATH, {})).status, 503);
  isDown = false;
  assert.equal((await api.post(PATH, {})).status, 200);
});

test("authenticate() accepts a limited token from its addresses only, and trusts no header for them", async () => {
  const limited = { ...TOKEN, addresses: ["203.0.113.0/24", "2001:db8::1"] };
  const tokens = { find: () => Promise.resolve(limited) };
  const from = (remoteAddress: string, headers = {}) => ({
    ...{ method: "POST" as const, url: PATH, payload: {}, remoteAddress },
    headers: { authorization: "Bearer ph_x", ...headers },
  });
  await using direct = openTestApp({ tokens });
  for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8::1"]) {
    assert.equal((await direct.app.inject(from(address))).statusCode, 200, address);
  }
  for (const address of ["203.0.114.9", "2001:db8::2", "127.0.0.1"]) {
    const answer = await direct.app.inject(from(address, { "x-forwarded-for": "203.0.113.9" }));
    assert.equal(answer.statusCode, 403, address);
    assert.equal(answer.json().code, "missing_scope");
    assert.ok(answer.json().error.includes(address));
  }
  await using behind = openTestApp({ tokens }, {
    edge: { connections: { max: 10, maxPerClient: 10, proxies: ["10.0.0.0/8"] } },
  });
  const forwarded = { "x-forwarded-for": "198.51.100.1, 203.0.113.9" };
  assert.equal((await behind.app.inject(from("10.1.2.3", forwarded))).statusCode, 200);
  const spoofed = { "x-forwarded-for": "203.0.113.9, 198.51.100.1" };
  assert.equal((await behind.app.inject(from("10.1.2.3", spoofed))).statusCode, 403);
});

test("a limited token renders and sends only with its templates and integrations", async () => {
  const withLimits = (limits: Partial<AccessToken>) =>
    openTestApp({
      tokens: { find: () => Promise.resolve({ ...TOKEN, scopes: ["render", "send"], ...limits }) },
    });
  const cases: [Partial<AccessToken>, number, number][] = [
    [{}, 200, 200],
    [{ templates: [5], integrations: [3] }, 200, 200],
    [{ templates: [4] }, 403, 403],
    [{ integrations: [4] }, 200, 403],
  ];
  for (const [limits, rendered, sent] of cases) {
    await using api = withLimits(limits);
    // The limit holds for the alias and for the id.
    for (const template of ["5", "welcome"]) {
      const render = await api.post(`/v1/templates/${template}/render`, {});
      const send = await api.post(`/v1/templates/${template}/send/3`, smallSend());
      assert.deepEqual([render.status, send.status], [rendered, sent], JSON.stringify(limits));
      assert.equal(api.sends.length > 0, sent === 200);
    }
  }
});
