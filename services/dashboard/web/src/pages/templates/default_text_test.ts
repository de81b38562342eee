import assert from "node:assert/strict";
import { test } from "node:test";
import { readDefault, writeDefault } from "./default_text.ts";

test("readDefault() reads JSON as its value, and all else as text", () => {
  assert.equal(readDefault("friend"), "friend");
  assert.equal(readDefault(" 5 "), 5);
  assert.equal(readDefault('"5"'), "5");
  assert.deepEqual(readDefault("[1]"), [1]);
  assert.equal(readDefault("[1"), "[1");
  assert.equal(readDefault("  "), undefined);
});

test("writeDefault() writes what readDefault() reads back", () => {
  for (const value of [undefined, null, "", " a ", "5", "true", "friend", 5, false, [], { a: 1 }]) {
    assert.deepEqual(readDefault(writeDefault(value)), value);
  }
  assert.equal(writeDefault("friend"), "friend");
});
