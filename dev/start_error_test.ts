import assert from "node:assert/strict";
import { test } from "node:test";
import { startError } from "./start_error.ts";

test("startError() returns a remedy for errors of the system", () => {
  const error = Object.assign(new Error("ENOSPC: no space left"), {
    code: "ENOSPC",
    path: "/data",
  });
  assert.match(startError(error), /^Cannot start with "\/data": the disk is full; free some space/);
});

test("startError() returns a sentence unchanged and makes one of other errors", () => {
  assert.equal(startError(new Error('Cannot start "pdf": no')), 'Cannot start "pdf": no');
  assert.equal(startError(new Error("boom")), "Cannot start: boom");
});
