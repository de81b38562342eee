import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newId, UNKNOWN_HEALTH, type Webhook, webhookSettingsSchema } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened?.[Symbol.asyncDispose]());

const NO_SECRET = { keyId: "k", wrappedKey: "w", nonce: "n", ciphertext: "c" };

async function endpoint(accountId: string, changes: Partial<Webhook> = {}): Promise<Webhook> {
  const _id = newId("whk");
  const settings = webhookSettingsSchema.parse({ url: `https://${_id}.example` });
  const made = await opened.store.webhooks.create({
    ...{ _id, accountId, secret: NO_SECRET, at: new Date() },
    ...settings,
  });
  await opened.db.collection<Webhook>("webhooks").updateOne({ _id }, { $set: { ...changes, _id } });
  return { ...made, ...changes };
}

test("countEndpoints() counts endpoints by state, without those that a person disabled", async () => {
  const { store } = opened;
  const disabled = (by: "person" | "gone" | "failing") => ({
    disabled: { at: new Date(), by, reason: "x" },
  });
  await endpoint("acc_a");
  await endpoint("acc_b", { health: { ...UNKNOWN_HEALTH, failures: 4 } });
  await endpoint("acc_b", { health: { ...UNKNOWN_HEALTH, failures: 5 } });
  for (const by of ["person", "gone", "failing"] as const) await endpoint("acc_a", disabled(by));
  assert.deepEqual(await store.webhooks.countEndpoints(5), { up: 2, down: 1, disabled: 2 });
});

test("waitingSince() returns the time of the oldest event or due retry of the endpoints", async () => {
  const { store } = opened;
  const { position, ...one } = await endpoint("acc_waits");
  const other = await endpoint("acc_idle");
  const now = new Date();
  assert.equal(await store.webhooks.waitingSince([], now), null);
  assert.equal(await store.webhooks.waitingSince([{ ...one, position }, other], now), null);
  const before = new Date();
  await store.events.record([1, 2].map((n) => ({
    ...{ _id: `evt_w${n}`, accountId: "acc_waits", at: new Date(0) },
    ...{ type: "integration.paused" as const, data: { integrationId: 1, reason: "x" } },
  })));
  const since = await store.webhooks.waitingSince([{ ...one, position }, other], now);
  assert.ok(since !== null && since >= before);
  const read = { ...one, position: position + 2 };
  assert.equal(await store.webhooks.waitingSince([read, other], now), null);
  const delivery = (n: number, nextAt: Date) => ({
    ...{ _id: `${one._id}/evt_w${n}`, accountId: "acc_waits", webhookId: one._id },
    ...{ eventId: `evt_w${n}`, type: "integration.paused", state: "retrying" as const, tries: 1 },
    ...{ nextAt, attempts: [], at: now, expiresAt: new Date(now.getTime() + 60_000) },
  });
  const due = new Date(now.getTime() - 5000);
  await store.webhooks.saveDeliveries([
    ...[delivery(1, due), delivery(2, new Date(now.getTime() + 5000))],
  ]);
  assert.deepEqual(await store.webhooks.waitingSince([read, other], now), due);
  assert.equal(await store.webhooks.waitingSince([other], now), null);
});
