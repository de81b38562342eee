import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPlace } from "./format_place.ts";

test("formatPlace() returns how many go first", () => {
  assert.equal(formatPlace(0), "Next in the queue");
  assert.equal(formatPlace(1), "Behind 1 other");
  assert.equal(formatPlace(12), "Behind 12 others");
  assert.match(formatPlace(10_000), /^Behind 10.000 others or more$/);
});
