import assert from "node:assert/strict";
import { test } from "node:test";
import { boxAround } from "./box_around.ts";

test("boxAround() returns the smallest box around some boxes", () => {
  const line = { left: 10, top: 20, width: 50, height: 5 };
  assert.deepEqual(boxAround([line]), line);
  const next = { left: 5, top: 25, width: 20, height: 5 };
  assert.deepEqual(boxAround([line, next]), { left: 5, top: 20, width: 55, height: 10 });
});
