import assert from "node:assert/strict";
import { test } from "node:test";
import { findCircles } from "./find_circles.ts";

function circlesIn(imports: Record<string, string[]>): string[] {
  return findCircles(new Map(Object.entries(imports))).map((circle) => circle.join(" "));
}

test("findCircles() finds none where files meet without a way back", () => {
  assert.deepEqual(circlesIn({ a: ["b", "c"], b: ["d"], c: ["d", "b"], d: ["missing"] }), []);
});

test("findCircles() lists the files of a circle alone, whatever leads to it", () => {
  assert.deepEqual(circlesIn({ main: ["a"], a: ["b"], b: ["c", "leaf"], c: ["a"], leaf: [] }), [
    "a b c",
  ]);
});

test("findCircles() finds a file that imports itself, and every circle of several", () => {
  assert.deepEqual(circlesIn({ a: ["a", "b", "c"], b: ["a"], c: ["d"], d: ["c"] }), [
    ...["a", "a b", "c d"],
  ]);
});
