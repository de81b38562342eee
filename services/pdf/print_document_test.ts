import assert from "node:assert/strict";
import { test } from "node:test";
import { printDocument } from "./print_document.ts";

test("printDocument() writes nothing of the author's before the policy", () => {
  for (const html of ["<p>Hi", `<!DOCTYPE html PUBLIC "x"><html>`, "<!--><p>-->", "\uFEFF<p>"]) {
    const document = printDocument(html, { css: "@page{size:A4}" });
    assert.match(document, /^<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="/);
    assert.ok(document.endsWith(`@page{size:A4}</style>${html.replace("\uFEFF", "")}`));
  }
});

test("printDocument() sets the language before the author can", () => {
  const document = printDocument("<html lang=fr><p>Hi", { css: "", language: "de-AT" });
  assert.match(document, /^<!DOCTYPE html><html lang="de-AT"><meta http-equiv="Content-Security/);
});
