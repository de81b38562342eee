import assert from "node:assert/strict";
import { test } from "node:test";
import { printDocument } from "./print_document.ts";

test("printDocument() puts nothing of the author's before the policy", () => {
  for (const html of ["<p>Hi", `<!DOCTYPE html PUBLIC "x"><html>`, "<!--><p>-->", "\uFEFF<p>"]) {
    const document = printDocument(html, "@page{size:A4}");
    assert.match(document, /^<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="/);
    assert.ok(document.endsWith(`@page{size:A4}</style>${html.replace("\uFEFF", "")}`));
  }
});
