import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureOf } from "./sign.ts";

const SECRET = "whsec_cG9zdGhhc3RlLXRlc3Qtc2VjcmV0LTMyLWJ5dGVzISE=";
const ID = "evt_01kbz0000000000000000000000000001s";
const REQUEST = {
  ...{ id: ID, timestamp: 1767323046 },
  body: `{"id":"${ID}","type":"message.sent"}`,
};
const SIGNATURE = "v1,bkEm1TM1GkNtOpoxqPk/hqiYWek9G+RPu/HUh3uIcoU=";

test("signatureOf() signs as Standard Webhooks 1.0 does", () => {
  assert.equal(signatureOf(REQUEST, [SECRET]), SIGNATURE);
});

test("signatureOf() signs with both secrets while one is replaced", () => {
  const [first, second, ...others] = signatureOf(REQUEST, ["whsec_AAAA", SECRET]).split(" ");
  assert.notEqual(first, SIGNATURE);
  assert.deepEqual([second, others], [SIGNATURE, []]);
});
