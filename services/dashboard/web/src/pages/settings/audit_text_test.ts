import assert from "node:assert/strict";
import { test } from "node:test";
import { auditText, detailText } from "./audit_text.ts";

test("auditText() returns words for known and for unknown actions", () => {
  assert.equal(auditText("member.role_changed"), "changed the role of");
  assert.equal(auditText("template.published"), "published");
  assert.equal(auditText("template.rolled_back"), "rolled back");
  assert.equal(auditText("odd"), "odd");
});

test("detailText() formats changes as from and to, leaves out null, and is empty without details", () => {
  assert.equal(detailText({ from: "viewer", to: "owner" }), "viewer → owner");
  assert.equal(detailText({ from: 7, to: 0 }), "7 → 0");
  assert.equal(detailText({ from: null, to: "owner" }), "none → owner");
  assert.equal(detailText({ scopes: "send", expiresAt: null }), "scopes: send");
  assert.equal(detailText({}), "");
});
