import assert from "node:assert/strict";
import { test } from "node:test";
import { scanImports } from "./scan_imports.ts";

function specifiers(source: string): string[] {
  return scanImports(source).map(({ specifier }) => specifier);
}

test("scanImports() finds every form of import with its line", () => {
  const source = [
    'import a from "a";',
    "import {",
    "  b,",
    "  type B,",
    "} from 'b';",
    'import type { C } from "c";',
    'import * as d from "d";',
    'import "e";',
    'export * from "f";',
    'export { g } from "g"; export type { H } from "h";',
    'const i = await import("i");',
    'type J = import("j").J;',
  ].join("\n");
  assert.deepEqual(
    scanImports(source).map(({ specifier, line }) => `${specifier}${line}`),
    ["a1", "b5", "c6", "d7", "e8", "f9", "g10", "h10", "i11", "j12"],
  );
});

test("scanImports() is not misled by comments, strings, templates and regular expressions", () => {
  const source = [
    '// import a from "a";',
    '/* import "b"; */',
    "const c = 'import \"c\";';",
    'const d = `import "d"; ${`import "e" ${"}"}`} import "f"`;',
    'const g = /import "g" [/"\'`]/.test(c) || 4 / 2 / 1;',
    'import z from "z";',
  ].join("\n");
  assert.deepEqual(specifiers(source), ["z"]);
});

test("scanImports() finds the names of a dynamic import", () => {
  const namesOf = (source: string) => scanImports(source).map(({ names }) => names);
  assert.deepEqual(namesOf('const { a, b: c } = await import("x");'), [
    new Map([["a", "a"], ["c", "b"]]),
  ]);
  assert.deepEqual(namesOf('const { a, ...rest } = await import("x");'), [undefined]);
  assert.deepEqual(namesOf('const all = await import("x");'), [undefined]);
});
