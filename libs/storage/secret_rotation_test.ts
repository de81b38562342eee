import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { byDay } from "@posthaste/kit";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { readMasterKeys, sealingKeyOf } from "./master_keys.ts";
import {
  bindLogin,
  bindPassword,
  INTEGRATION_DKIM_KEY,
  openSecret,
  sealSecret,
} from "./secret_box.ts";

const SERVER = { host: "smtp.example.com", port: 587 };
const setting = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const [FORMER, LATTER] = [setting("k1"), setting("k2")];
const former = readMasterKeys(FORMER);
const both = readMasterKeys(`${LATTER},${FORMER}`);
const latter = readMasterKeys(LATTER);

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

async function connect(accountId: string, name: string, keys = former) {
  return await opened.store.integrations.create({
    ...{ accountId, name, ...SERVER, tls: "starttls" },
    senders: ["shop@example.com"],
    auth: (recordId) => ({
      user: name,
      method: null,
      password: sealSecret(`password of ${accountId} ${name}`, {
        ...bindPassword({ accountId, recordId, ...SERVER }),
        key: sealingKeyOf(keys),
      }),
    }),
  });
}

async function open(accountId: string, id: number, keys = both) {
  const found = await opened.store.integrations.find(accountId, id);
  assert.ok(found?.auth?.kind === "password");
  const binding = bindPassword({ accountId, recordId: found._id, ...SERVER });
  return openSecret(found.auth.password, { ...binding, keys });
}

async function rotate(limit: number) {
  let rewrapped = 0;
  const faults = [];
  let after: string | undefined;
  for (;;) {
    const batch = await opened.store.secrets.rewrap({ keys: both, limit, after });
    rewrapped += batch.rewrapped;
    faults.push(...batch.faults);
    if (batch.last === null) return { rewrapped, faults };
    after = batch.last;
  }
}

test("rewrapSecrets() seals all accounts' secrets to the current key, while they are read and changed", async () => {
  const { store } = opened;
  for (let i = 0; i < 30; i++) await connect(`acc_${i % 3}`, `number ${i}`);
  await store.integrations.create({
    ...{ accountId: "acc_0", name: "open", host: "h.example", port: 25, tls: "none" },
    ...{ auth: null, senders: ["a@example.com"] },
  });
  assert.deepEqual(await store.secrets.count(), [{ keyId: "k1", count: 30, outdated: 0 }]);
  const ended = new AbortController();
  let reads = 0;
  const reading = (async () => {
    while (!ended.signal.aborted) {
      const id = reads % 10 + 1;
      assert.equal(await open("acc_1", id), `password of acc_1 number ${(id - 1) * 3 + 1}`);
      reads++;
    }
  })();
  const changing = (async () => {
    for (let i = 0; !ended.signal.aborted; i++) {
      await store.integrations.update("acc_2", i % 10 + 1, { maxConnections: 1 + i % 7 });
    }
  })();
  const first = await store.secrets.rewrap({ keys: both, limit: 7 });
  assert.deepEqual([first.rewrapped, first.faults], [7, []], "and is broken off here");
  assert.deepEqual(await rotate(7), { rewrapped: 23, faults: [] });
  await delay(100);
  ended.abort();
  await Promise.all([reading, changing]);
  assert.ok(reads > 0);
  assert.deepEqual(await store.secrets.count(), [{ keyId: "k2", count: 30, outdated: 0 }]);
  assert.equal(await open("acc_2", 10, latter), "password of acc_2 number 29");
  assert.deepEqual(await rotate(7), { rewrapped: 0, faults: [] });
});

test("rewrapSecrets() wraps no old key into a password that is changed at the same time", async () => {
  const { store } = opened;
  await connect("acc_4", "changing");
  // Each round is another chance for the two to meet.
  const rounds = byDay(20, 60);
  for (let i = 0; i < rounds; i++) {
    const auth = (recordId: string) => ({
      ...{ user: "u", method: null },
      password: sealSecret(`password ${i}`, {
        ...bindPassword({ accountId: "acc_4", recordId, ...SERVER }),
        key: sealingKeyOf(former),
      }),
    });
    const before = await store.integrations.find("acc_4", 1);
    await Promise.all([rotate(50), store.integrations.update("acc_4", 1, { auth })]);
    assert.equal(await open("acc_4", 1), `password ${i}`, `round ${i}`);
    await rotate(50);
    assert.equal(await open("acc_4", 1, latter), `password ${i}`);
    const after = await store.integrations.find("acc_4", 1);
    assert.ok((after?.revision ?? 0) >= (before?.revision ?? 0) + 2, "a stale change is noticed");
  }
});

test("rewrapSecrets() continues after a secret that does not open, and names it", async () => {
  const { store, db } = opened;
  const wrong = await connect("acc_3", "moved");
  const good = await connect("acc_3", "good");
  assert.ok(good.auth?.kind === "password");
  const alien = await connect("acc_3", "alien", readMasterKeys(setting("k0")));
  await db.collection("integrations").updateOne({ name: "moved", accountId: "acc_3" }, {
    $set: { "auth.password": good.auth.password },
  });
  const { rewrapped, faults } = await rotate(1);
  assert.equal(rewrapped, 1);
  assert.deepEqual(faults.map(({ recordId }) => recordId), [wrong._id, alien._id]);
  assert.match(faults[0]?.reason ?? "", /it was changed, or sealed for another record/);
  assert.match(faults[1]?.reason ?? "", /master key "k0" is not configured$/);
  assert.equal(await open("acc_3", 2, latter), "password of acc_3 good");
  assert.deepEqual(await store.secrets.count(), [
    { keyId: "k0", count: 1, outdated: 0 },
    { keyId: "k1", count: 1, outdated: 0 },
    { keyId: "k2", count: 32, outdated: 0 },
  ]);
});

test("rewrapSecrets() also seals the signing keys of mail to the current key", async () => {
  const { store } = opened;
  const before = await store.secrets.count();
  const { id, accountId } = await connect("acc_5", "signing");
  await store.integrations.update(accountId, id, {
    dkim: (recordId) => ({
      ...{ domain: "example.com", selector: "ph", publicKey: "x", enabled: true },
      privateKey: sealSecret("the key", {
        ...{ key: sealingKeyOf(former), accountId, recordId, field: INTEGRATION_DKIM_KEY },
      }),
    }),
  });
  const { _id } = await store.integrations.create({
    ...{ accountId, name: "no login", host: "h.example", port: 25, tls: "none", auth: null },
    senders: ["a@example.com"],
    dkim: (recordId) => ({
      ...{ domain: "example.com", selector: "ph", publicKey: "x", enabled: true },
      privateKey: sealSecret("another key", {
        ...{ key: sealingKeyOf(former), accountId, recordId, field: INTEGRATION_DKIM_KEY },
      }),
    }),
  });
  const count = (keyId: string, uses: typeof before) =>
    uses.find((use) => use.keyId === keyId)?.count ?? 0;
  assert.equal(count("k1", await store.secrets.count()) - count("k1", before), 3);
  assert.equal((await rotate(7)).rewrapped, 3);
  const after = await store.secrets.count();
  assert.equal(count("k1", after), count("k1", before));
  assert.equal(count("k2", after), count("k2", before) + 3);
  for (const [number, text] of [[id, "the key"], [2, "another key"]] as const) {
    const found = await store.integrations.find(accountId, number);
    assert.ok(found?.dkim);
    const binding = { accountId, recordId: found._id, field: INTEGRATION_DKIM_KEY };
    assert.equal(openSecret(found.dkim.privateKey, { ...binding, keys: latter }), text);
  }
  assert.equal(_id, `${accountId}/2`);
});

test("rewrapSecrets() seals all secrets of a login by access tokens", async () => {
  const { store } = opened;
  const accountId = "acc_oauth";
  const sealed = (recordId: string, field: "auth.clientSecret" | "auth.refreshToken") =>
    sealSecret(field, {
      ...bindLogin({ accountId, recordId, ...SERVER }, field),
      key: sealingKeyOf(former),
    });
  const { id } = await store.integrations.create({
    ...{ accountId, name: "by token", ...SERVER, tls: "starttls" },
    senders: ["shop@example.com"],
    auth: (recordId) => ({
      ...{ kind: "oauthRefreshToken", user: "shop", provider: "google", tenant: null },
      clientId: "shop.apps.googleusercontent.com",
      clientSecret: sealed(recordId, "auth.clientSecret"),
      refreshToken: sealed(recordId, "auth.refreshToken"),
    }),
  });
  assert.equal((await rotate(50)).rewrapped, 2);
  const found = await store.integrations.find(accountId, id);
  assert.ok(found?.auth?.kind === "oauthRefreshToken");
  const { clientSecret, refreshToken } = found.auth;
  const bound = { accountId, recordId: found._id, ...SERVER };
  for (
    const [field, secret] of [
      ["auth.clientSecret", clientSecret],
      ["auth.refreshToken", refreshToken],
    ] as const
  ) {
    assert.ok(secret);
    assert.equal(openSecret(secret, { ...bindLogin(bound, field), keys: latter }), field);
  }
});

test("rewrapSecrets() never mixes a refresh token with the one that replaces it meanwhile", async () => {
  const { store } = opened;
  const accountId = "acc_rotating";
  const bound = (recordId: string) =>
    bindLogin({ accountId, recordId, ...SERVER }, "auth.refreshToken");
  const { id, _id } = await store.integrations.create({
    ...{ accountId, name: "by token", ...SERVER, tls: "starttls" },
    senders: ["shop@example.com"],
    auth: (recordId) => ({
      ...{ kind: "oauthRefreshToken", user: "shop", provider: "google", tenant: null },
      ...{ clientId: "shop.apps.googleusercontent.com", clientSecret: null },
      refreshToken: sealSecret("token 0", { ...bound(recordId), key: sealingKeyOf(former) }),
    }),
  });
  const stored = async () => {
    const found = await store.integrations.find(accountId, id);
    assert.ok(found?.auth?.kind === "oauthRefreshToken" && found.auth.refreshToken);
    return found.auth.refreshToken;
  };
  for (let n = 1; n <= 20; n++) {
    const from = await stored();
    const to = sealSecret(`token ${n}`, { ...bound(_id), key: sealingKeyOf(former) });
    const [, isReplaced] = await Promise.all([
      rotate(50),
      store.integrations.replaceRefreshToken(accountId, id, { from, to }),
    ]);
    assert.equal(isReplaced, true);
    const token = openSecret(await stored(), { ...bound(_id), keys: both });
    assert.equal(token, `token ${n}`);
    assert.equal(await store.integrations.replaceRefreshToken(accountId, id, { from, to }), false);
  }
});
