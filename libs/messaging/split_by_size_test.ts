import assert from "node:assert/strict";
import { test } from "node:test";
import { splitBySize } from "./split_by_size.ts";

const sizeOf = (item: string) => item.length;

test("splitBySize() keeps the order, and goes beyond neither count nor bytes", () => {
  const items = ["aa", "b", "cccc", "d", "e", "f"];
  assert.deepEqual(splitBySize(items, { maxCount: 3, maxBytes: 8, sizeOf }), [
    ["aa", "b"],
    ["cccc", "d"],
    ["e", "f"],
  ]);
  assert.deepEqual(
    splitBySize(items, { maxCount: 4, maxBytes: 100, sizeOf }).map((p) => p.length),
    [
      4,
      2,
    ],
  );
});

test("splitBySize() gives a part of its own to what is too large for any", () => {
  const items = ["a", "bbbbbbbbbb", "c"];
  assert.deepEqual(splitBySize(items, { maxCount: 9, maxBytes: 5, sizeOf }), [
    ["a"],
    ["bbbbbbbbbb"],
    ["c"],
  ]);
  assert.deepEqual(splitBySize([], { maxCount: 9, maxBytes: 5, sizeOf }), []);
});
