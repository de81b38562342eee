import assert from "node:assert/strict";
import { test } from "node:test";
import { deedText, detailText } from "./deed_text.ts";

test("deedText() says in words what was done, for deeds that it has never heard of as well", () => {
  assert.equal(deedText("member.role_changed"), "changed the role of");
  assert.equal(deedText("template.published"), "published");
  assert.equal(deedText("template.rolled_back"), "rolled back");
  assert.equal(deedText("odd"), "odd");
});

test("detailText() writes changes as from and to, leaves out what is null, and is empty for nothing", () => {
  assert.equal(detailText({ from: "viewer", to: "owner" }), "viewer → owner");
  assert.equal(detailText({ from: 7, to: 0 }), "7 → 0");
  assert.equal(detailText({ from: null, to: "owner" }), "none → owner");
  assert.equal(detailText({ scopes: "send", expiresAt: null }), "scopes: send");
  assert.equal(detailText({}), "");
});
