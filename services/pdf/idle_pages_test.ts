import assert from "node:assert/strict";
import { test } from "node:test";
import { IdlePages } from "./idle_pages.ts";

test("IdlePages never gives an owner's page to another", () => {
  const pages = new IdlePages<string>();
  pages.give("of a", "a");
  assert.equal(pages.take("b"), undefined);
  assert.equal(pages.take("a"), "of a");
  assert.equal(pages.take("a"), undefined);
});

test("IdlePages assigns a page without an owner to any owner that has none", () => {
  const pages = new IdlePages<string>();
  pages.give("new");
  pages.give("of a", "a");
  assert.equal(pages.take("a"), "of a");
  assert.equal(pages.take("b"), "new");
});

test("IdlePages takes the page that has waited longest, of any owner", () => {
  const pages = new IdlePages<string>();
  for (const owner of ["a", "b", "a"]) pages.give(`of ${owner}`, owner);
  assert.equal(pages.take("a"), "of a");
  pages.give("again", "a");
  assert.deepEqual([1, 2, 3, 4].map(() => pages.takeOldest()), [
    "of a",
    "of b",
    "again",
    undefined,
  ]);
});
