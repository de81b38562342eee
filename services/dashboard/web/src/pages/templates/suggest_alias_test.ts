import assert from "node:assert/strict";
import { test } from "node:test";
import { aliasSchema } from "@posthaste/contracts";
import { suggestAlias } from "./suggest_alias.ts";

test("suggestAlias() makes a valid alias of any name, and repeats none", () => {
  const cases: Record<string, string> = {
    "Welcome mail": "welcome-mail",
    "Größe & Preis (neu)": "grosse-preis-neu",
    "2026: summer": "template-2026-summer",
    "請求書": "template",
    " -- ": "template",
    [`${"ab ".repeat(40)}`]: "ab-".repeat(21).slice(0, -1),
  };
  for (const [name, wanted] of Object.entries(cases)) {
    assert.equal(suggestAlias(name, new Set()), wanted);
    assert.ok(aliasSchema.safeParse(wanted).success, wanted);
  }
  assert.equal(suggestAlias("Hi", new Set(["hi", "hi-2"])), "hi-3");
  const long = "x".repeat(70);
  assert.equal(suggestAlias(long, new Set(["x".repeat(63)])), `${"x".repeat(61)}-2`);
});
