import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findFaults } from "../faults/fault_list.ts";
import type { Invariant } from "../records/reconcile.ts";
import { MUTATIONS } from "./mutations.ts";
import { isDetected } from "./try_mutation.ts";

test("every mutation still fits the source, and the fault that reveals it exists", async () => {
  for (const { name, patches, fault } of MUTATIONS) {
    assert.equal(findFaults([fault]).length, 1);
    for (const { file, find } of patches) {
      const source = await readFile(join(import.meta.dirname, "..", "..", "..", file), "utf8");
      assert.equal(source.split(find).length - 1, 1, `${name} in ${file}`);
    }
  }
});

test("isDetected() wants the named invariant red, and no other one but those that follow", () => {
  const seen = (...invariants: Invariant[]) =>
    isDetected(
      { reveals: "I9", follows: { I6: "it is left over" } },
      invariants.map((invariant) => ({ invariant, what: "" })),
    );
  assert.equal(seen("I9", "I9"), true);
  assert.equal(seen("I9", "I6"), true);
  assert.equal(seen("I9", "I1"), false);
  assert.equal(seen("I6"), false);
  assert.equal(seen(), false);
});
