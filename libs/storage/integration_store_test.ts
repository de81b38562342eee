import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { cachedIntegrations } from "./integration_cache.ts";
import type { NewIntegration, SealAuth } from "./integration_store.ts";
import { NameTakenError } from "./name_taken_error.ts";
import { readMasterKeys, sealingKeyOf } from "./master_keys.ts";
import { openSecret, sealSecret } from "./secret_box.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const keys = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);
const field = "password";

function sealing(accountId: string, password: string): SealAuth {
  return (recordId) => ({
    user: "shop",
    method: null,
    password: sealSecret(password, { key: sealingKeyOf(keys), accountId, recordId, field }),
  });
}

function integrationOf(accountId: string, name = "Shop"): NewIntegration {
  const auth = sealing(accountId, "hunter2");
  const senders = ["shop@example.com"];
  return { accountId, name, host: "smtp.example.com", port: 587, tls: "starttls", auth, senders };
}

test("createIntegration() counts per account, fills in defaults and seals for the record", async () => {
  const first = await store.integrations.create(integrationOf("acc_1"));
  const second = await store.integrations.create(integrationOf("acc_1", "Second"));
  const foreign = await store.integrations.create(integrationOf("acc_2"));
  assert.deepEqual([first._id, second._id, foreign._id], ["acc_1/1", "acc_1/2", "acc_2/1"]);
  assert.deepEqual([first.revision, first.maxConnections, first.whenUnknown], [1, 5, "retry"]);
  assert.ok(first.auth?.kind === "password");
  const sealed = first.auth.password;
  assert.ok(sealed);
  const binding = { keys, accountId: "acc_1", recordId: first._id, field };
  assert.equal(openSecret(sealed, binding), "hunter2");
  assert.deepEqual(await store.integrations.find("acc_1", 1), first);
  assert.equal(await store.integrations.find("acc_2", 2), null);
  assert.deepEqual(await store.integrations.list("acc_1"), [first, second]);
});

test("createIntegration() refuses a duplicate name and a malformed one", async () => {
  await store.integrations.create(integrationOf("acc_3"));
  await assert.rejects(store.integrations.create(integrationOf("acc_3")), NameTakenError);
  await assert.rejects(store.integrations.create({ ...integrationOf("acc_3", "x"), port: 0 }));
});

test("updateIntegration() counts a revision per change, also with 10 concurrent changes", async () => {
  await store.integrations.create(integrationOf("acc_4"));
  await store.integrations.create(integrationOf("acc_4", "Other"));
  const hosts = Array.from({ length: 10 }, (_, n) => `mx${n}.example.com`);
  const updated = await Promise.all(
    hosts.map((host) => store.integrations.update("acc_4", 1, { host })),
  );
  const revisions = updated.map((integration) => integration?.revision ?? 0);
  assert.deepEqual(revisions.toSorted((a, b) => a - b), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.equal(await store.integrations.update("acc_5", 1, { host: "evil.example.com" }), null);
  await assert.rejects(store.integrations.update("acc_4", 1, { name: "Other" }), NameTakenError);
  const open = await store.integrations.update("acc_4", 1, { auth: null });
  assert.deepEqual([open?.auth, open?.maxConnections, open?.revision], [null, 5, 12]);
});

test("update() keeps a refresh token that replaced another one while it worked", async () => {
  const seal = (token: string) =>
    sealSecret(token, { key: sealingKeyOf(keys), accountId: "acc_9", recordId: "any", field });
  const kept = Array.from({ length: 20 }, async (_, n) => {
    const [from, to] = [seal("first"), seal("second")];
    const auth: SealAuth = () => ({
      ...{ kind: "oauthRefreshToken", user: "shop", provider: "google", tenant: null },
      ...{ clientId: "1", clientSecret: null, refreshToken: from },
    });
    const { id } = await store.integrations.create({ ...integrationOf("acc_9", `${n}`), auth });
    let replacing: Promise<boolean> | undefined;
    const updated = await store.integrations.update("acc_9", id, {
      host: "smtp2.example.com",
      auth: (_recordId, current) => {
        // Between reading and writing.
        replacing ??= store.integrations.replaceRefreshToken("acc_9", id, { from, to });
        assert.ok(current);
        return current;
      },
    });
    assert.deepEqual([await replacing, updated?.revision], [true, 2]);
    const stored = await store.integrations.find("acc_9", id);
    assert.ok(stored?.auth?.kind === "oauthRefreshToken");
    assert.deepEqual([stored.host, stored.auth.refreshToken], ["smtp2.example.com", to]);
  });
  await Promise.all(kept);
});

test("upsertIntegrationByName() may be repeated without a new revision, also 5 times concurrently", async () => {
  const open = { ...integrationOf("acc_6"), auth: null };
  const all = await Promise.all(
    Array.from({ length: 5 }, () => store.integrations.upsertByName(open)),
  );
  assert.deepEqual(new Set(all.map(({ _id }) => _id)).size, 1);
  const again = await store.integrations.upsertByName(open);
  assert.deepEqual([again._id, again.revision], [all[0]?._id, 1]);
  const changed = await store.integrations.upsertByName(integrationOf("acc_6"));
  assert.deepEqual([changed._id, changed.revision], [again._id, 2]);
});

test("find() of cached integrations asks once, and again when its time is up", async () => {
  await store.integrations.create(integrationOf("acc_7"));
  let calls = 0;
  const cache = cachedIntegrations<Pick<Store["integrations"], "find">>({
    find: (...args) => (calls++, store.integrations.find(...args)),
  }, { ttlMs: 100 });
  await Promise.all(Array.from({ length: 9 }, () => cache.find("acc_7", 1)));
  await store.integrations.update("acc_7", 1, { port: 25 });
  assert.equal(calls, 1);
  assert.equal(await cache.find("acc_8", 1), null);
  await delay(120);
  assert.equal((await cache.find("acc_7", 1))?.port, 25);
  assert.equal(calls, 3);
});
