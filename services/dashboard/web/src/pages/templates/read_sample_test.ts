import assert from "node:assert/strict";
import { test } from "node:test";
import { readSample } from "./read_sample.ts";

test("readSample() reads an object, and nothing as an empty one", () => {
  assert.deepEqual(readSample('{"a": [1]}'), { sample: { a: [1] }, problem: null });
  assert.deepEqual(readSample(" \n"), { sample: {}, problem: null });
});

test("readSample() says why it cannot read the rest", () => {
  for (const text of ["[]", "null", "5", '{"a": }']) {
    const { sample, problem } = readSample(text);
    assert.equal(sample, null, text);
    assert.ok(problem !== null && problem.length > 0, text);
  }
});
