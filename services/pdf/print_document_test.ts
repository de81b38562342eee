import assert from "node:assert/strict";
import { test } from "node:test";
import { printDocument } from "./print_document.ts";

test("printDocument() keeps the doctype first and the policy before all else", () => {
  const document = printDocument(`\uFEFF <!-- a --><!DOCTYPE html PUBLIC "x"><html lang="de">`, "");
  assert.match(
    document,
    /^ <!-- a --><!DOCTYPE html PUBLIC "x"><meta http-equiv="Content-Security-Policy"/,
  );
  assert.ok(document.endsWith(`</style><html lang="de">`));
});

test("printDocument() gives a doctype to a document without one", () => {
  assert.ok(printDocument("<p>Hi", "@page{size:A4}").startsWith("<!DOCTYPE html><meta"));
});
