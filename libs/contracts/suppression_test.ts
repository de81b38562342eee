import assert from "node:assert/strict";
import { test } from "node:test";
import { isNoMailbox } from "./suppression.ts";

test("isNoMailbox() is true only for a permanent reply that says that the mailbox does not exist", () => {
  for (const enhanced of ["5.1.1", "5.1.3", "5.1.6", "5.1.10"]) {
    assert.equal(isNoMailbox({ code: 550, enhanced }), true, enhanced);
  }
  for (const enhanced of ["5.1.2", "5.2.1", "5.2.2", "5.7.1", "5.1.11", undefined]) {
    assert.equal(isNoMailbox({ code: 550, enhanced }), false, enhanced);
  }
  assert.equal(isNoMailbox({ code: 450, enhanced: "5.1.1" }), false);
  assert.equal(isNoMailbox({}), false);
});
