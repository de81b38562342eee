import assert from "node:assert/strict";
import { test } from "node:test";
import { hangOf } from "./hanging_indent.ts";

test("hangOf() returns a little more than the indentation of the line", () => {
  assert.deepEqual(["", "a", "  a", "\ta"].map(hangOf), [2, 2, 4, 4]);
});

test("hangOf() leaves room for text in narrow windows", () => {
  assert.equal(hangOf(`${" ".repeat(80)}a`), 14);
});
