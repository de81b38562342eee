import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openImportGraph } from "../import_graph.ts";
import { listUnits } from "../workspace_units.ts";
import { needsOf, SIGNS } from "./needs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const graph = openImportGraph(ROOT);

test("every sign of a need that is a file of ours exists", () => {
  for (const sign of Object.values(SIGNS).flat()) {
    if (!/^(?:npm|node):/.test(sign)) assert.ok(existsSync(join(ROOT, `${sign}.ts`)), sign);
  }
});

test("every nightly file names short forms, which are not nightly", () => {
  const files = globSync(listUnits(ROOT).map(({ folder }) => `${folder}/**/*_test.ts`), {
    cwd: ROOT,
    exclude: (path) => path.endsWith("node_modules"),
  });
  const atNight = files.filter((file) => needsOf(file, graph).night);
  assert.ok(atNight.length > 0);
  for (const file of atNight) {
    const call = /^nightly\(([^)]*)\);$/m.exec(readFileSync(join(ROOT, file), "utf8"));
    assert.ok(call, `${file} does not call nightly()`);
    const shortForms = [...(call[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? "");
    assert.ok(shortForms.length > 0, file);
    for (const short of shortForms) {
      assert.ok(existsSync(join(ROOT, short)), `${file}: there is no ${short}`);
      assert.equal(needsOf(short, graph).night, false, `${file}: ${short} is left to the night`);
    }
  }
});

test("needsOf() gives a process of its own to files that start telemetry, not to those that start services", () => {
  // Without their ending: this test does not start them.
  const hasOwn = (name: string) => needsOf(`${name}.ts`, graph).ownProcess;
  assert.equal(hasOwn("libs/telemetry/span_test"), true);
  assert.equal(hasOwn("tests/e2e/batch_test"), false);
  assert.equal(hasOwn("cli/command_line_test"), false);
});
