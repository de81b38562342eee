import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { type Webhook, webhookSettingsSchema } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { readMasterKeys, sealingKeyOf } from "./master_keys.ts";
import { openSecret, sealSecret, WEBHOOK_SECRET } from "./secret_box.ts";

const setting = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const [FORMER, LATTER] = [setting("k1"), setting("k2")];
const former = readMasterKeys(FORMER);
const both = readMasterKeys(`${LATTER},${FORMER}`);
const latter = readMasterKeys(LATTER);
const AT = new Date("2030-01-01T12:00:00Z");
const LATER = new Date("2030-01-02T12:00:00Z");

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

function sealed(text: string, { _id, accountId }: Pick<Webhook, "_id" | "accountId">) {
  const binding = { accountId, recordId: _id, field: WEBHOOK_SECRET };
  return sealSecret(text, { ...binding, key: sealingKeyOf(former) });
}

async function create(accountId: string, id: string): Promise<Webhook> {
  return await opened.store.webhooks.create({
    ...{ _id: id, accountId, at: AT, secret: sealed(`first of ${id}`, { _id: id, accountId }) },
    ...webhookSettingsSchema.parse({ url: `https://${id}.example/` }),
  });
}

async function open({ accountId, _id }: Pick<Webhook, "_id" | "accountId">, keys = latter) {
  const found = await opened.store.webhooks.find(accountId, _id);
  const binding = { accountId, recordId: _id, field: WEBHOOK_SECRET };
  return found?.secrets.map((one) => openSecret(one.sealed, { ...binding, keys }));
}

async function rotate(limit: number) {
  const { webhookSecrets } = opened.store;
  let [rewrapped, after] = [0, "" as string | null];
  while (after !== null) {
    const batch = await webhookSecrets.rewrap({ keys: both, limit, after });
    assert.deepEqual(batch.faults, []);
    rewrapped += batch.rewrapped;
    after = batch.last;
  }
  return rewrapped;
}

test("webhookSecretRotation() seals the secrets of all accounts to the current key, also those that still sign", async () => {
  const { webhooks, webhookSecrets } = opened.store;
  const all = [];
  for (let i = 0; i < 5; i++) all.push(await create(`acc_${i % 2}`, `whk-${i}`));
  const [first] = all;
  assert.ok(first);
  const second = { sealed: sealed("second of whk-0", first), until: LATER, at: AT };
  await webhooks.rotateSecret(first.accountId, first._id, second);
  assert.deepEqual(await webhookSecrets.count(), [{ keyId: "k1", count: 6, outdated: 0 }]);
  assert.equal(await rotate(2), 6);
  assert.deepEqual(await webhookSecrets.count(), [{ keyId: "k2", count: 6, outdated: 0 }]);
  assert.deepEqual(await open(first), ["second of whk-0", "first of whk-0"]);
  const after = await webhooks.find(first.accountId, first._id);
  assert.deepEqual(after?.secrets.map(({ until }) => until), [null, LATER]);
  assert.equal(await rotate(2), 0);
});

test("webhookSecretRotation() loses no secret that is rotated at the same time", async () => {
  const webhook = await create("acc_4", "whk-race");
  for (let i = 0; i < 40; i++) {
    const next = { sealed: sealed(`secret ${i}`, webhook), until: LATER, at: AT };
    await Promise.all([
      rotate(50),
      opened.store.webhooks.rotateSecret("acc_4", webhook._id, next),
    ]);
    assert.equal((await open(webhook, both))?.[0], `secret ${i}`);
    await rotate(50);
    assert.equal((await open(webhook))?.[0], `secret ${i}`);
  }
});

test("webhookSecretRotation() continues after a secret that does not open, and names it", async () => {
  const { webhookSecrets } = opened.store;
  const wrong = await create("acc_5", "whk-a");
  const good = await create("acc_5", "whk-b");
  await opened.db.collection("webhooks").updateOne({ url: wrong.url }, {
    $set: { secrets: good.secrets },
  });
  const { rewrapped, faults } = await webhookSecrets.rewrap({ keys: both, limit: 99 });
  assert.equal(rewrapped, 1);
  assert.deepEqual(faults.map(({ recordId }) => recordId), [wrong._id]);
  assert.deepEqual(await open(good), ["first of whk-b"]);
});
