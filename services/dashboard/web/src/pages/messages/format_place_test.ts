import assert from "node:assert/strict";
import { test } from "node:test";
import { sayPlace } from "./say_place.ts";

test("sayPlace() returns how many go first", () => {
  assert.equal(sayPlace(0), "Next in the queue");
  assert.equal(sayPlace(1), "Behind 1 other");
  assert.equal(sayPlace(12), "Behind 12 others");
  assert.match(sayPlace(10_000), /^Behind 10.000 others or more$/);
});
