import assert from "node:assert/strict";
import { test } from "node:test";
import { auditText, detailText } from "./audit_text.ts";

test("auditText() says in words what was done, for actions that it does not know as well", () => {
  assert.equal(auditText("member.role_changed"), "changed the role of");
  assert.equal(auditText("template.published"), "published");
  assert.equal(auditText("template.rolled_back"), "rolled back");
  assert.equal(auditText("odd"), "odd");
});

test("detailText() writes changes as from and to, leaves out what is null, and is empty for nothing", () => {
  assert.equal(detailText({ from: "viewer", to: "owner" }), "viewer → owner");
  assert.equal(detailText({ from: 7, to: 0 }), "7 → 0");
  assert.equal(detailText({ from: null, to: "owner" }), "none → owner");
  assert.equal(detailText({ scopes: "send", expiresAt: null }), "scopes: send");
  assert.equal(detailText({}), "");
});
