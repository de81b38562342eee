import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { buildApplication } from "./build_application.ts";

const ROOT = join(import.meta.dirname, "../../..");
const DIST = join(ROOT, "services/dashboard/web/dist");
const BUDGET_BYTES = 300_000;

test("the first load of the dashboard is less than 300 KB, gzipped, and has no script in the page", async () => {
  await buildApplication({ root: ROOT });
  const page = await readFile(join(DIST, "index.html"), "utf8");
  for (const [script, attributes = "", content] of page.matchAll(/<script([^>]*)>([^<]*)/g)) {
    assert.match(attributes, / src="/, script);
    assert.equal(content?.trim(), "", script);
  }
  const needed = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(needed.some((path) => path?.endsWith(".js")));
  assert.ok(needed.some((path) => path?.endsWith(".css")));
  const files = ["/index.html", ...needed];
  const sizes = await Promise.all(files.map(async (path) => {
    const zipped = gzipSync(await readFile(join(DIST, `${path}`)), { level: 9 });
    return [path, zipped.length] as const;
  }));
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  assert.ok(total < BUDGET_BYTES, `${total} bytes: ${JSON.stringify(sizes)}`);
});
