import assert from "node:assert/strict";
import { test } from "node:test";
import { pageCss } from "./page_css.ts";

const size = { width: 8.5, height: 11, margin: { top: 1, right: 0.5, bottom: 1, left: 0.5 } };

test("pageCss() puts size and margins into one rule", () => {
  assert.equal(pageCss({}, size), "@page{size:8.5in 11in;margin:1in 0.5in 1in 0.5in;}");
});

test("pageCss() turns {page} and {pages} into counters", () => {
  const css = pageCss({ footer: { center: "Page {page} of {pages}" } }, size);
  assert.match(
    css,
    /@bottom-center\{content:"Page " counter\(page\) " of " counter\(pages\);font:9pt sans-serif\}/,
  );
});

test("pageCss() keeps every text inside its string and its style element", () => {
  const css = pageCss({ header: { left: `"}</style><b>\\ \n; é漢` } }, size);
  assert.match(css, /content:"\\22 \\7d \\3c \\2f style\\3e \\3c b\\3e \\5c {2}\\a \\3b {2}é漢"/);
});
