import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRepository } from "./make_repository.ts";
import { openImportGraph } from "./import_graph.ts";

const REPOSITORY = {
  "package.json": '{ "workspaces": ["libs/*"] }',
  "libs/a/package.json": '{ "name": "@x/a", "exports": "./mod.ts" }',
  "libs/a/mod.ts": [
    "// Passes names on.",
    'export { one, two as deux } from "./numbers.ts";',
    'export * from "./server.ts";',
    'export * from "./pure.ts";',
  ].join("\n"),
  "libs/a/numbers.ts": "export const one = 1, two = 2;",
  "libs/a/server.ts": 'import { createServer } from "node:net"; export function serve() {}',
  "libs/a/pure.ts": "export function pure() {}",
  "libs/b/package.json": '{ "name": "@x/b", "exports": "./mod.ts" }',
  "libs/b/mod.ts": "export const nothing = 0;",
  "libs/b/pure_test.ts": 'import { deux, pure } from "@x/a"; import type { T } from "mongodb";',
  "libs/b/server_test.ts": 'import { serve, type Other } from "@x/a"; import z from "zod/v4";',
  "libs/b/all_test.ts": 'import * as a from "@x/a";',
  "libs/b/child_test.ts": 'spawn("node", [join(import.meta.dirname, "child.ts"), "no/such.ts"]);',
  "libs/b/child.ts": 'import "./circle.ts";',
  "libs/b/circle.ts": 'import "./child.ts";',
};

function reachOf(file: string): string[] {
  using repository = makeRepository(REPOSITORY);
  return [...openImportGraph(repository.root).reachOf(file)].toSorted();
}

test("reachOf() follows only the imported names of a file of re-exports", () => {
  assert.deepEqual(reachOf("libs/b/pure_test.ts"), [
    ...["libs/a/mod.ts", "libs/a/numbers.ts", "libs/a/pure.ts", "libs/b/pure_test.ts"],
  ]);
  assert.deepEqual(reachOf("libs/b/server_test.ts"), [
    ...["libs/a/mod.ts", "libs/a/server.ts", "libs/b/server_test.ts", "node:net", "npm:zod"],
  ]);
});

test("reachOf() follows all names of an import of everything", () => {
  assert.deepEqual(reachOf("libs/b/all_test.ts"), [
    ...["libs/a/mod.ts", "libs/a/numbers.ts", "libs/a/pure.ts", "libs/a/server.ts"],
    ...["libs/b/all_test.ts", "node:net"],
  ]);
});

test("reachOf() counts programs that are started, and ends in circles", () => {
  assert.deepEqual(reachOf("libs/b/child_test.ts"), [
    ...["libs/b/child.ts", "libs/b/child_test.ts", "libs/b/circle.ts"],
  ]);
});

test("loadedBy() leaves out programs that are started", () => {
  using repository = makeRepository(REPOSITORY);
  const graph = openImportGraph(repository.root);
  assert.deepEqual([...graph.loadedBy("libs/b/child_test.ts")], ["libs/b/child_test.ts"]);
  assert.deepEqual([...graph.loadedBy("libs/b/child.ts")].toSorted(), [
    ...["libs/b/child.ts", "libs/b/circle.ts"],
  ]);
});
