import assert from "node:assert/strict";
import { test } from "node:test";
import { aliasSchema } from "./alias.ts";

test("aliasSchema accepts lowercase letters, digits and dashes only", () => {
  for (const alias of ["a", "welcome", "order-2-paid", "a".repeat(63)]) {
    assert.equal(aliasSchema.parse(alias), alias);
  }
  for (const alias of ["", "1", "-a", "Welcome", "a b", "a_b", "a/b", "a\n", "a".repeat(64)]) {
    assert.ok(!aliasSchema.safeParse(alias).success, JSON.stringify(alias));
  }
});
