import assert from "node:assert/strict";
import { test } from "node:test";
import { markChange } from "./mark_change.ts";

const page = (text: string) =>
  `<html><head><style>p{}</style></head><body><p>A</p><p id="x">${text}</p></body></html>`;

test("markChange() marks the element in which a page first differs", () => {
  assert.match(markChange(page("old"), page("new")), /<p data-posthaste-changed id="x">new/);
});

test("markChange() leaves a page with the same body unchanged", () => {
  assert.equal(markChange(page("same"), page("same")), page("same"));
  const noted = page("same").replace("<style>", "<!-- <p> --><style>");
  const styled = noted.replace("p{}", "p{color:red}");
  assert.equal(markChange(noted, styled), styled);
});
