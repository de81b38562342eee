import assert from "node:assert/strict";
import { test } from "node:test";
import { verify, WebhookError } from "./webhooks.ts";

const SECRET = "whsec_cG9zdGhhc3RlLXRlc3Qtc2VjcmV0LTMyLWJ5dGVzISE=";
const OTHER = `whsec_${btoa("another secret of 32 bytes......")}`;
const ID = "evt_01kbz0000000000000000000000000001s";
const BODY = `{"id":"${ID}","type":"message.sent"}`;
const SIGNATURE = "v1,bkEm1TM1GkNtOpoxqPk/hqiYWek9G+RPu/HUh3uIcoU=";
const HEADERS = {
  "webhook-id": ID,
  "webhook-timestamp": "1767323046",
  "webhook-signature": SIGNATURE,
};
const NOW = { now: 1_767_323_046_000 };

test("verify() returns the event of the published test vector", async () => {
  const event = { id: ID, type: "message.sent" };
  assert.deepEqual(await verify(BODY, HEADERS, SECRET, NOW), event);
  const bytes = new TextEncoder().encode(BODY);
  assert.deepEqual(await verify(bytes, new Headers(HEADERS), [SECRET], NOW), event);
});

test("verify() takes several secrets and several signatures while a secret is changed", async () => {
  assert.ok(await verify(BODY, HEADERS, [OTHER, SECRET], NOW));
  const signatures = `v1a,AAAA v1,not-base64! v1,AAAA ${SIGNATURE}`;
  assert.ok(await verify(BODY, { ...HEADERS, "webhook-signature": signatures }, SECRET, NOW));
});

test("verify() refuses what another secret signed, what was changed and what is not signed", async () => {
  const refused = (body: string, headers: Record<string, string>, secrets: string | string[]) =>
    assert.rejects(verify(body, headers, secrets, NOW), WebhookError);
  await refused(BODY, HEADERS, OTHER);
  await refused(BODY, HEADERS, []);
  await refused(BODY.replace("sent", "gone"), HEADERS, SECRET);
  await refused(BODY, { ...HEADERS, "webhook-id": "evt_2" }, SECRET);
  await refused(BODY, { ...HEADERS, "webhook-timestamp": "1767323047" }, SECRET);
  await refused(BODY, { ...HEADERS, "webhook-signature": SIGNATURE.replace("v1", "v2") }, SECRET);
  for (const name of Object.keys(HEADERS)) await refused(BODY, { ...HEADERS, [name]: "" }, SECRET);
});

test("verify() refuses requests of another time", async () => {
  const at = (now: number) => verify(BODY, HEADERS, SECRET, { now });
  for (const difference of [-300_000, 300_000]) assert.ok(await at(NOW.now + difference));
  for (const difference of [-300_001, 300_001]) {
    await assert.rejects(at(NOW.now + difference), /timestamp/);
  }
  const odd = { ...HEADERS, "webhook-timestamp": "NaN" };
  await assert.rejects(verify(BODY, odd, SECRET, NOW), WebhookError);
});

test("verify() refuses a secret that is not one", async () => {
  for (const secret of ["", "whsec_", "whsec_!", "cG9zdGhhc3Rl"]) {
    await assert.rejects(verify(BODY, HEADERS, secret, NOW), TypeError, secret);
  }
});
