import assert from "node:assert/strict";
import { test } from "node:test";
import { startError } from "./start_error.ts";

test("startError() gives a remedy for what the system refuses", () => {
  const error = Object.assign(new Error("ENOSPC: no space left"), {
    code: "ENOSPC",
    path: "/data",
  });
  assert.match(startError(error), /^Cannot start with "\/data": the disk is full; free some space/);
});

test("startError() leaves a sentence as it is and makes one of other errors", () => {
  assert.equal(startError(new Error('Cannot start "pdf": no')), 'Cannot start "pdf": no');
  assert.equal(startError(new Error("boom")), "Cannot start: boom");
});
