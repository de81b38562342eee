import assert from "node:assert/strict";
import { test } from "node:test";
import { readSample } from "./read_sample.ts";

test("readSample() reads an object, and nothing as an empty one", () => {
  assert.deepEqual(readSample('{"a": [1]}'), { sample: { a: [1] }, error: null });
  assert.deepEqual(readSample(" \n"), { sample: {}, error: null });
});

test("readSample() returns why it cannot read other values", () => {
  for (const text of ["[]", "null", "5", '{"a": }']) {
    const { sample, error } = readSample(text);
    assert.equal(sample, null, text);
    assert.ok(error !== null && error.length > 0, text);
  }
});
