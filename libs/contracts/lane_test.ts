import assert from "node:assert/strict";
import { test } from "node:test";
import { laneOf, LANES, laneSchema } from "./lane.ts";

test("laneOf() keeps requests of up to 10 recipients apart from larger ones", () => {
  assert.deepEqual([1, 10, 11, 1000].map(laneOf), [
    "transactional",
    "transactional",
    "bulk",
    "bulk",
  ]);
});

test("laneSchema knows the two lanes and no other", () => {
  for (const lane of LANES) assert.equal(laneSchema.parse(lane), lane);
  assert.ok(!laneSchema.safeParse("express").success);
});
