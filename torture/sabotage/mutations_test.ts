import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findFaults } from "../faults/fault_list.ts";
import { MUTATIONS } from "./mutations.ts";

test("every sabotage still fits the source, and the fault that reveals it exists", async () => {
  for (const { name, patches, fault } of MUTATIONS) {
    assert.equal(findFaults([fault]).length, 1);
    for (const { file, find } of patches) {
      const source = await readFile(join(import.meta.dirname, "..", "..", file), "utf8");
      assert.equal(source.split(find).length - 1, 1, `${name} in ${file}`);
    }
  }
});
