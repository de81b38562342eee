import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonText } from "./reason_text.ts";

test("reasonText() names the codes of a refusal, if there are any", () => {
  assert.equal(
    reasonText({ reason: "hard_refusal", reply: "550 5.1.1" }),
    "A server refused it (550 5.1.1)",
  );
  assert.equal(reasonText({ reason: "hard_refusal", reply: null }), "A server refused it");
  assert.equal(reasonText({ reason: "manual", reply: null }), "Added by hand");
});
