import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { generateAccessToken } from "./access_token.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

test("findToken() finds a created token, of which no document contains the plain text", async () => {
  const { token, record } = await store.tokens.create({
    accountId: "acc_1",
    name: "shop",
    scopes: ["render", "send"],
  });
  assert.deepEqual(await store.tokens.find(token), record);
  assert.equal(record.prefix, token.slice(0, 9));
  const stored = JSON.stringify(await opened.db.collection("tokens").find().toArray());
  assert.equal(stored.includes(token.slice(9)), false);
  for (const other of [generateAccessToken(), "", record._id, `${token} `]) {
    assert.equal(await store.tokens.find(other), null);
  }
});

test("findToken() leaves out unknown scopes of a later version", async () => {
  const { token, record } = await store.tokens.create({
    ...{ accountId: "acc_5", name: "later", scopes: ["send"] },
  });
  const scopes = ["steer:moon", "send"] as never[];
  await opened.db.collection<{ _id: string }>("tokens")
    .updateOne({ _id: record._id }, { $set: { scopes } });
  assert.deepEqual((await store.tokens.find(token))?.scopes, ["send"]);
  assert.deepEqual((await store.tokens.list("acc_5"))[0]?.scopes, ["send"]);
});

test("findToken() refuses expired and revoked tokens", async () => {
  const base = { accountId: "acc_2", name: "shop", scopes: ["read" as const] };
  const expired = await store.tokens.create({ ...base, expiresAt: new Date(Date.now() - 1) });
  const living = await store.tokens.create({ ...base, expiresAt: new Date(Date.now() + 60_000) });
  assert.equal(await store.tokens.find(expired.token), null);
  assert.notEqual(await store.tokens.find(living.token), null);
  assert.equal(await store.tokens.revoke("acc_1", living.record._id), 0);
  assert.notEqual(await store.tokens.find(living.token), null);
  assert.equal(await store.tokens.revoke("acc_2", living.record._id), 1);
  assert.equal(await store.tokens.revoke("acc_2", living.record._id), 0);
  assert.equal(await store.tokens.find(living.token), null);
  assert.equal((await store.tokens.list("acc_2")).length, 2);
  assert.deepEqual(await store.tokens.list("acc_3"), []);
});

test("touchToken() notes the use of a token at most once a minute", async () => {
  const scopes = ["read" as const];
  const { token, record } = await store.tokens.create({ accountId: "acc_4", name: "x", scopes });
  const lastUsedAt = async () => (await store.tokens.find(token))?.lastUsedAt?.getTime();
  await store.tokens.touch(record, new Date(1_000_000));
  await store.tokens.touch(record, new Date(1_059_999));
  assert.equal(await lastUsedAt(), 1_000_000);
  await store.tokens.touch(record, new Date(1_060_000));
  assert.equal(await lastUsedAt(), 1_060_000);
});

test("revoke() ends the tokens that a token has made, also after it was rolled", async () => {
  const { store } = opened;
  const accountId = "acc_made";
  const create = (name: string, madeBy?: string) =>
    store.tokens.create({ accountId, name, scopes: ["send"], madeBy });
  const maker = await create("maker");
  const [made, other] = [await create("made", maker.record._id), await create("other")];
  const rolled = await store.tokens.roll({ accountId, id: maker.record._id, until: new Date() });
  assert.ok(rolled);
  assert.equal((await store.tokens.find(made.token))?.madeBy, rolled.record._id);
  assert.equal(await store.tokens.revoke("acc_1", rolled.record._id), 0);
  assert.equal(await store.tokens.revoke(accountId, rolled.record._id), 2);
  assert.equal(await store.tokens.find(made.token), null);
  assert.ok(await store.tokens.find(other.token));
  // A request of the maker may still be on its way.
  const late = await create("late", rolled.record._id);
  assert.equal(await store.tokens.find(late.token), null);
});
