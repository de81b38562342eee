import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { BSON, type Document } from "mongodb";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { readMasterKeys } from "./master_keys.ts";
import { bindPassword, openSecret } from "./secret_box.ts";

/** A ledger that the first version wrote. It is never changed. */
const RECORDED: Record<string, Document[]> = BSON.EJSON.parse(
  readFileSync(new URL("fixtures/ledger_v1.json", import.meta.url), "utf8"),
);
const accountId = String(RECORDED["accounts"]?.[0]?.["_id"]);
const sendId = String(RECORDED["sends"]?.[0]?.["_id"]);
const ADDED = { addedLater: { by: "a newer program" } };

let opened: TestStore;
before(async () => {
  opened = await openTestStore({ changesIndexes: true });
  for (const [name, documents] of Object.entries(RECORDED)) {
    // As a newer program that may run beside this one leaves them.
    await opened.db.collection(name).insertMany(documents.map((each) => ({ ...each, ...ADDED })));
  }
  await opened.db.collection("ledger").deleteMany({});
  await opened.store.ensureIndexes();
});
after(() => opened?.[Symbol.asyncDispose]());

test("openStore() reads every document that version 1 wrote", async () => {
  const { store } = opened;
  assert.equal((await store.accounts.find(accountId))?.name, "Fixture");
  assert.equal((await store.tokens.list(accountId)).length, 1);
  assert.deepEqual((await store.people.listMembers(accountId)).map(({ user }) => user.name), [
    "Ann",
  ]);
  assert.equal((await store.audit.list(accountId, { limit: 9 })).length, 1);
  const email = await store.templates.findVersion(accountId, "email", 1, 1);
  assert.deepEqual(email?.variables.map(({ name }) => name), ["name"]);
  const pdf = await store.templates.findVersion(accountId, "pdf", 1, 1);
  assert.equal(pdf?.page.footer?.center, "{page} of {pages}");
  assert.equal((await store.templates.find(accountId, "email", "welcome"))?.publishedVersion, 1);
  const send = await store.sends.load(sendId);
  assert.deepEqual(send?.request.to.map(({ name }) => name), ["R0", "R1", "R2", "R3"]);
  const states = (await store.messages.list(accountId, sendId))?.map(({ state }) => state);
  assert.deepEqual(states, ["sent", "failed", "deferred", "queued"]);
  assert.ok(await store.sends.findByIdempotencyKey(accountId, "order-1"));
});

test("lockedSecrets() finds no locked secret of version 1, if the key is present", async () => {
  const { store } = opened;
  const keysOf = (id: string, byte: number) =>
    readMasterKeys(`${id}:${Buffer.alloc(32, byte).toString("base64")}`);
  assert.deepEqual(await store.secrets.locked(keysOf("k1", 7)), []);
  const [missing] = await store.secrets.locked(keysOf("k2", 7));
  assert.match(missing?.reason ?? "", /master key "k1" is not configured/);
  const [other] = await store.secrets.locked(keysOf("k1", 8));
  assert.match(other?.reason ?? "", /sealed .* to another key/);
});

test("rewrapSecrets() seals to the public key what version 1 sealed to the master key itself", async () => {
  const { store, db } = opened;
  const keys = readMasterKeys(`k1:${Buffer.alloc(32, 7).toString("base64")}`);
  const [before] = await store.secrets.count();
  assert.ok(before && before.outdated === before.count && before.count > 0);
  const found = await store.integrations.find(accountId, 1);
  assert.ok(found?.auth?.kind === "password");
  const binding = bindPassword({ ...found, recordId: found._id });
  const password = openSecret(found.auth.password, { ...binding, keys });
  assert.deepEqual(
    await store.secrets.rewrap({ keys, limit: 99 }),
    { rewrapped: before.count, faults: [], last: found._id },
  );
  assert.deepEqual(await store.secrets.count(), [{ ...before, outdated: 0 }]);
  const { auth } = await store.integrations.find(accountId, 1) ?? {};
  const sealed = auth?.kind === "password" ? auth.password : undefined;
  assert.ok(sealed);
  assert.equal(openSecret(sealed, { ...binding, keys }), password);
  assert.throws(() => openSecret(sealed, { ...binding, server: "evil.example:587", keys }));
  assert.deepEqual(await store.secrets.locked(keys), []);
  await db.collection<Document>("integrations").updateOne({ _id: found._id as never }, {
    $set: { auth: found.auth },
  });
});

test("openStore() keeps fields of a newer program in documents that it changes", async () => {
  const { store, db } = opened;
  const now = new Date();
  await store.integrations.update(accountId, 1, { port: 25 });
  await store.accounts.update(accountId, { retention: { contentDays: 3 } });
  await store.messages.retry(accountId, messageIdOf(sendId, 1), { now });
  await store.messages.cancel(accountId, messageIdOf(sendId, 2), now);
  await store.templates.update({ _id: `${accountId}/email/1`, accountId }, { name: "Other" });
  for (const name of ["integrations", "accounts", "messages", "sends", "templates"]) {
    const lacking = await db.collection(name).find({ addedLater: { $exists: false } })
      .toArray();
    // The only unattempted recipient got a document just now.
    const own = lacking.filter(({ _id }) => String(_id) !== messageIdOf(sendId, 3));
    assert.deepEqual(own, [], name);
    assert.ok(await db.collection(name).countDocuments(ADDED) > 0, name);
  }
});
