import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";

/** Functions that parse a template in the calling process. Services and commands must use a sandbox. */
const UNSANDBOXED = /\b(checkTemplate|publishEmail|publishPdf|templateVariables)\b/;
const IMPORT = /import\s*(?:type\s*)?\{([^}]*)\}\s*from\s*"@posthaste\/templating"/g;
const ROOT = new URL("../../", import.meta.url).pathname;

test("no service and no command parses a template outside the sandbox", async () => {
  const found: string[] = [];
  let importers = 0;
  for await (const file of glob("{services,cli}/**/*.ts", { cwd: ROOT })) {
    if (file.includes("node_modules") || file.endsWith("_test.ts")) continue;
    for (const [, names = ""] of (await readFile(ROOT + file, "utf8")).matchAll(IMPORT)) {
      importers++;
      if (UNSANDBOXED.test(names)) found.push(file);
    }
  }
  assert.deepEqual(found, []);
  assert.ok(importers >= 5, `${importers} files import it`);
});
