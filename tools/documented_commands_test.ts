import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { listPages } from "./list_pages.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGES = listPages(ROOT);

const read = (page: string) => readFileSync(join(ROOT, page), "utf8");

test("no page starts a program past the bootstrap: a fresh checkout has neither packages nor Node.js 24", () => {
  const found = PAGES.flatMap((page) =>
    [
      ...read(page).matchAll(
        /(?<!tools\/bootstrap\.mjs |npm ci --ignore-scripts && )\bnode [\w./-]+\.ts\b/g,
      ),
    ]
      .map(([command]) => `${page}: ${command}`)
  );
  assert.deepEqual(found, []);
});

test("every npm script that a page names exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name)
  );
  assert.ok(named.length > 10);
  assert.deepEqual([...new Set(named)].filter((name) => !(name in scripts)), []);
});
