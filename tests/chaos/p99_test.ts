import assert from "node:assert/strict";
import { test } from "node:test";
import { p99 } from "./p99.ts";

test("p99() is the slowest of few values, and infinite if one of them never came", () => {
  assert.equal(p99([]), undefined);
  assert.equal(p99([3, 1, 2]), 3);
  assert.equal(p99([1, Infinity]), Infinity);
  // One of so many is not seen: who must not lose any counts them.
  assert.equal(p99([...Array.from({ length: 199 }, (_, at) => at), Infinity]), 198);
  assert.equal(p99(Array.from({ length: 200 }, (_, at) => 200 - at)), 199);
});
