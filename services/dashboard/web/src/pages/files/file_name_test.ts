import assert from "node:assert/strict";
import { test } from "node:test";
import { assetNameSchema } from "@posthaste/contracts";
import { nameForFile } from "./file_name.ts";

test("nameForFile() makes a valid name of any file name, and repeats none", () => {
  const cases: Record<string, string> = {
    "Our Logo.PNG": "our-logo",
    "münchen.v2.jpeg": "munchen.v2",
    "../../etc": "etc",
    ".png": "file",
    "日本.png": "file",
    "a_b.svg": "a_b",
    [`${"x".repeat(90)}.gif`]: "x".repeat(56),
  };
  for (const [filename, wanted] of Object.entries(cases)) {
    assert.equal(nameForFile(filename, new Set()), wanted);
    assert.ok(assetNameSchema.safeParse(wanted).success);
  }
  assert.equal(nameForFile("logo.png", new Set(["logo", "logo-2"])), "logo-3");
});
