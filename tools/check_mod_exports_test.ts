import assert from "node:assert/strict";
import { test } from "node:test";
import { checkModExports } from "./check_mod_exports.ts";
import { makeRepository } from "./make_repository.ts";

const MOD = 'export * from "./a.ts";';

test("checkModExports() names public files that are missing in mod.ts", () => {
  using repository = makeRepository({
    "libs/contracts/mod.ts": MOD,
    "libs/contracts/a.ts": "",
    "libs/contracts/a_test.ts": "",
    "libs/contracts/_b.ts": "",
    "libs/contracts/c.ts": "",
    "libs/messaging/mod.ts": "",
    "libs/storage/mod.ts": "",
  });
  assert.deepEqual(checkModExports(repository.root), [
    "libs/contracts/c.ts is not exported from libs/contracts/mod.ts: " +
    "export it or start its name with _",
    "tests/kit has no mod.ts",
  ]);
});
