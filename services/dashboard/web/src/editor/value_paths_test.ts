import assert from "node:assert/strict";
import { test } from "node:test";
import { valuePaths } from "./value_paths.ts";

test("valuePaths() names fields, and the fields of the items of lists", () => {
  const value = { name: "Ada", lines: [{ price: 1 }, { note: "x" }], tags: ["a"], at: null };
  assert.deepEqual(valuePaths(value), [
    "name",
    "lines",
    "lines[].price",
    "lines[].note",
    "tags",
    "at",
  ]);
  assert.deepEqual(valuePaths({ a: { b: { c: 1 } } }), ["a", "a.b", "a.b.c"]);
});

test("valuePaths() finds nothing in values without fields, and stops at the greatest depth", () => {
  assert.deepEqual(valuePaths("text"), []);
  assert.deepEqual(valuePaths({ a: { b: 1 } }, 1), ["a"]);
});
