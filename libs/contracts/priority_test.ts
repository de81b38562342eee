import assert from "node:assert/strict";
import { test } from "node:test";
import { PRIORITIES, priorityOf, prioritySchema } from "./priority.ts";

test("priorityOf() separates requests of up to 10 recipients from larger ones", () => {
  assert.deepEqual([1, 10, 11, 1000].map(priorityOf), [
    "transactional",
    "transactional",
    "bulk",
    "bulk",
  ]);
});

test("prioritySchema accepts only the two priorities", () => {
  for (const priority of PRIORITIES) assert.equal(prioritySchema.parse(priority), priority);
  assert.ok(!prioritySchema.safeParse("express").success);
});
