/**
 * Writes docs/openapi.json out of `ENDPOINTS` (`libs/contracts/endpoints.ts`); with `--check` it only
 * reports whether the file is stale.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { openApiDocument } from "@posthaste/contracts";

const FILE = new URL("../docs/openapi.json", import.meta.url);

const document = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
if (process.argv.includes("--check")) {
  const found = await readFile(FILE, "utf8").catch(() => "");
  if (found !== document) {
    process.stderr.write("docs/openapi.json is stale: run node tools/openapi.ts\n");
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, document);
}
