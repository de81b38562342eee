import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLockFile } from "./check_lock_file.ts";
import { makeRepository } from "./make_repository.ts";

function repository(packages: Record<string, object>, overrides: object = {}) {
  return makeRepository({
    "package.json": JSON.stringify({ allowScripts: { "@a/runs": true }, overrides }),
    "package-lock.json": JSON.stringify({ packages: { "": { name: "x" }, ...packages } }),
  });
}

test("checkLockFile() passes pinned packages, links, and allowed programs", () => {
  const integrity = "sha512-abc";
  using made = repository({
    "libs/x": {},
    "node_modules/@posthaste/x": { link: true },
    "node_modules/a": { integrity },
    "node_modules/a/node_modules/@a/runs": { integrity, hasInstallScript: true },
    "node_modules/a/node_modules/bundled": { inBundle: true },
  });
  assert.deepEqual(checkLockFile(made.root), []);
});

test("checkLockFile() names unpinned packages, and those that would run a program", () => {
  using made = repository({
    "node_modules/a": { integrity: "sha1-abc" },
    "libs/x/node_modules/@b/c": {},
    "node_modules/d": { integrity: "sha512-abc", hasInstallScript: true },
  });
  assert.deepEqual(checkLockFile(made.root), [
    'package-lock.json has no SHA-512 of "node_modules/a"',
    'package-lock.json has no SHA-512 of "libs/x/node_modules/@b/c"',
    '"d" runs a program when it is installed: package.json must allow it',
  ]);
});

test("checkLockFile() names overrides that npm of Debian cannot read", () => {
  using made = repository({}, {
    fine: "1.2.3",
    replaced: "npm:other@1.0.0",
    outer: { ".": "2", inner: "file:x" },
  });
  assert.deepEqual(
    checkLockFile(made.root),
    ["replaced", "inner"].map((name) =>
      `package.json overrides "${name}" by another package: npm before 10, of Debian too, cannot read it`
    ),
  );
});
