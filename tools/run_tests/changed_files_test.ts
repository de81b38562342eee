import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeRepository } from "../make_repository.ts";
import { openImportGraph } from "../import_graph.ts";
import { listUnits } from "../workspace_units.ts";
import { listChanged, touchedBy } from "./changed_files.ts";

const REPOSITORY = {
  "package.json": '{ "workspaces": ["libs/*"] }',
  "README.md": "",
  "libs/a/package.json": '{ "name": "@x/a", "exports": "./mod.ts" }',
  "libs/a/mod.ts": 'export { one } from "./one.ts"; export { two } from "./two.ts";',
  "libs/a/one.ts": "export const one = 1;",
  "libs/a/two.ts": "export const two = 2;",
  "libs/a/page.html": "<p>",
  "libs/a/two_test.ts": 'import { two } from "./two.ts";',
  "libs/b/package.json": '{ "name": "@x/b" }',
  "libs/b/one_test.ts": 'import { one } from "@x/a";',
  "libs/b/alone_test.ts": "",
};

const TESTS = ["libs/a/two_test.ts", "libs/b/alone_test.ts", "libs/b/one_test.ts"];

function touched(...changed: string[]): string[] {
  using repository = makeRepository(REPOSITORY);
  const { root } = repository;
  const graph = openImportGraph(root);
  return touchedBy(changed, { tests: TESTS, graph, units: listUnits(root) });
}

test("touchedBy() finds the tests that reach a file", () => {
  assert.deepEqual(touched("libs/a/one.ts"), ["libs/b/one_test.ts"]);
  assert.deepEqual(touched("libs/a/two.ts"), ["libs/a/two_test.ts"]);
  assert.deepEqual(touched("libs/a/mod.ts"), ["libs/b/one_test.ts"]);
  assert.deepEqual(touched("libs/b/alone_test.ts"), ["libs/b/alone_test.ts"]);
});

test("touchedBy() runs more for files without imports", () => {
  assert.deepEqual(touched("libs/a/page.html"), ["libs/a/two_test.ts", "libs/b/one_test.ts"]);
  assert.deepEqual(touched("package.json"), TESTS);
  assert.deepEqual(touched("README.md"), []);
});

test("listChanged() lists what differs from a commit, new files too", () => {
  using repository = makeRepository({ "old.ts": "1", "same.ts": "1" });
  const { root } = repository;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "ignore" });
  git("init");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-m", "first");
  writeFileSync(join(root, "old.ts"), "2");
  writeFileSync(join(root, "new.ts"), "1");
  assert.deepEqual(listChanged(root, "HEAD"), ["old.ts", "new.ts"]);
  assert.throws(() => listChanged(root, "no-such-commit"), /Cannot find what changed/);
});
