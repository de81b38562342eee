import assert from "node:assert/strict";
import { test } from "node:test";
import { framedHtml, thumbnailHtml } from "./framed_html.ts";

const MAIL =
  "<!doctype html><html><head><style>@media (prefers-color-scheme: dark) { p { color: red } }" +
  "</style></head><body><p>Hi</p></body></html>";

test("framedHtml() applies the requested scheme, not the browser's", () => {
  assert.match(framedHtml(MAIL, "dark"), /@media \(min-width: 0px\)/);
  assert.match(framedHtml(MAIL, "light"), /@media \(max-width: 0px\)/);
});

test("framedHtml() inverts only mails without dark styles, and only for the dark scheme", () => {
  const plain = "<p>Hi</p>";
  assert.match(framedHtml(plain, "dark"), /invert/);
  assert.doesNotMatch(framedHtml(plain, "light"), /invert/);
  assert.doesNotMatch(framedHtml(MAIL, "dark"), /invert/);
});

test("framedHtml() keeps the doctype first, and sends links out of the frame before any other base", () => {
  const framed = framedHtml(MAIL.replace("<style>", '<base target="_self"><style>'), "light");
  assert.match(framed, /^<!doctype html><html><head><base target="_blank">/);
  assert.match(framedHtml("<!doctype html><p>Hi</p>", "light"), /^<!doctype html><base target/);
});

test("thumbnailHtml() loads nothing from elsewhere, and is in light colours", () => {
  const small = thumbnailHtml(MAIL, "email");
  assert.match(small, /^<!doctype html><meta http-equiv="Content-Security-Policy"/);
  assert.match(small, /content="default-src 'none'; img-src data:;/);
  assert.match(small, /@media \(max-width: 0px\)/);
  assert.doesNotMatch(small, /padding/);
  assert.match(thumbnailHtml("<p>Bill</p>", "pdf"), /^<meta .*padding:64px.*<p>Bill<\/p>$/);
});

test("thumbnailHtml() puts its policy where it holds, whatever a comment or an attribute has", () => {
  const policy = /^<!doctype html><meta http-equiv="Content-Security-Policy"/;
  for (
    const start of ["<html><!--<head>-->", '<html title="<head>">', "<html><!--<html><!doctype>-->"]
  ) {
    const html =
      `<!doctype html>${start}<head></head><body><img src="https://x.example/"></body></html>`;
    assert.match(thumbnailHtml(html, "email"), policy, start);
  }
  assert.match(thumbnailHtml("<html><!--<!doctype html>--><head>", "email"), /^<meta http-equiv/);
});
