import assert from "node:assert/strict";
import { test } from "node:test";
import { IdlePages } from "./idle_pages.ts";

function pageOf(name: string, closed: string[] = []) {
  return { name, close: () => Promise.resolve(void closed.push(name)) };
}

test("IdlePages never gives an owner's page to another", () => {
  const pages = new IdlePages<ReturnType<typeof pageOf>>(8);
  pages.give(pageOf("of a"), "a");
  assert.equal(pages.take("b"), undefined);
  assert.equal(pages.take("a")?.name, "of a");
  assert.equal(pages.take("a"), undefined);
});

test("IdlePages gives a page that nobody owns to whoever has none", () => {
  const pages = new IdlePages<ReturnType<typeof pageOf>>(8);
  pages.give(pageOf("new"));
  pages.give(pageOf("of a"), "a");
  assert.equal(pages.take("a")?.name, "of a");
  assert.equal(pages.take("b")?.name, "new");
});

test("IdlePages closes the page that has waited longest", () => {
  const closed: string[] = [];
  const pages = new IdlePages<ReturnType<typeof pageOf>>(2);
  for (const owner of ["a", "b", "c"]) pages.give(pageOf(owner, closed), owner);
  assert.deepEqual(closed, ["a"]);
  assert.equal(pages.take("a"), undefined);
  assert.equal(pages.take("b")?.name, "b");
});
