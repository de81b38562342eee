import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { ERROR_STATUS, sendBodySchema } from "@posthaste/contracts";

const PAGE = new URL("../../docs/http.md", import.meta.url);

test("docs/http.md shows a valid envelope with files", async () => {
  const [, example = ""] =
    /^### Envelope\n\n```json\n([^]*?)^```$/m.exec(await readFile(PAGE, "utf8")) ?? [];
  assert.deepEqual(Object.keys(sendBodySchema().parse(JSON.parse(example))).length, 7);
});

test("every code of an error is returned somewhere", async () => {
  const root = new URL("../../", import.meta.url);
  const files = await Array.fromAsync(
    glob(["services/api/**/*.ts", "libs/http/*.ts"], {
      cwd: fileURLToPath(root),
      exclude: (name) => /_test\.ts$|node_modules/.test(name),
    }),
  );
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, root), "utf8")));
  const source = texts.join("\n");
  const unused = Object.keys(ERROR_STATUS).filter((code) => !source.includes(`"${code}"`));
  assert.deepEqual(unused, []);
});
