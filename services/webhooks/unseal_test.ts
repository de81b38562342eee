import { randomBytes } from "node:crypto";
import assert from "node:assert/strict";
import { test } from "node:test";
import { readMasterKeys, sealingKeyOf, sealSecret, WEBHOOK_SECRET } from "@posthaste/storage";
import { unsealer } from "./unseal.ts";

const keys = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);
const NOW = new Date("2026-03-01T12:00:00Z");

function webhookOf(accountId: string) {
  const binding = { accountId, recordId: "whk_1", field: WEBHOOK_SECRET };
  const sealed = (secret: string) => sealSecret(secret, { ...binding, key: sealingKeyOf(keys) });
  const secrets = [
    { sealed: sealed("whsec_new"), until: null },
    { sealed: sealed("whsec_old"), until: NOW },
  ];
  return { _id: "whk_1", accountId, secrets };
}

test("unsealer() opens a replaced secret until its time has come, and the current one always", () => {
  const unseal = unsealer(keys);
  const webhook = webhookOf("acc_1");
  assert.deepEqual(unseal(webhook, new Date(NOW.getTime() - 1)), ["whsec_new", "whsec_old"]);
  assert.deepEqual(unseal(webhook, NOW), ["whsec_new"]);
});

test("unsealer() opens no secret that was sealed for another account", () => {
  const moved = { ...webhookOf("acc_1"), accountId: "acc_2" };
  assert.throws(() => unsealer(keys)(moved, NOW));
});
