/**
 * Writes the OpenAPI documents out of their lists of endpoints: docs/openapi.json and the tables in
 * docs/http.md out of `ENDPOINTS` (`libs/contracts/endpoints.ts`), docs/manage_openapi.json and the table in
 * docs/manage.md out of `MANAGE_ENDPOINTS` (`services/dashboard/manage`). With `--check` it only reports stale
 * files. With `--baselines` it also writes what tests compare the documents with, which accepts removals.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { type JsonObject, openApiDocument } from "@posthaste/contracts";
import { baselineOf } from "./baseline_of.ts";
import { withHttpTables } from "./http_tables.ts";
import { jsonText } from "./json_text.ts";

const ROOT = new URL("../", import.meta.url);
const TABLE = /^\| route \| scopes \| \|\n(?:\|.*\n)+/m;

/** What services/dashboard/manage/manage_document.ts exports for this. */
interface ManageDocument {
  manageDocument(): JsonObject;
  manageTable(): string;
}

// By its place: no library may be imported from a service.
const LIST = new URL("../services/dashboard/manage/manage_document.ts", import.meta.url);
const { manageDocument, manageTable }: ManageDocument = await import(LIST.href);

const page = await readFile(new URL("docs/manage.md", ROOT), "utf8");
if (!TABLE.test(page)) throw new Error("Cannot find the table of routes in docs/manage.md");

const [sending, managing] = [openApiDocument(), manageDocument()].map(plain);
const files: Record<string, string> = {
  "docs/openapi.json": jsonText(sending),
  "docs/http.md": withHttpTables(await readFile(new URL("docs/http.md", ROOT), "utf8")),
  "docs/manage_openapi.json": jsonText(managing),
  "docs/manage.md": page.replace(TABLE, () => `${manageTable()}\n`),
  ...(process.argv.includes("--baselines") && {
    "libs/contracts/fixtures/openapi_v1.json": jsonText(baselineOf(sending), { width: 1000 }),
    "services/dashboard/fixtures/manage_openapi_v1.json": jsonText(baselineOf(managing), {
      width: 1000,
    }),
  }),
};
for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, ROOT);
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
  } else if (await readFile(file, "utf8").catch(() => "") !== text) {
    process.stderr.write(`${name} is stale: run node tools/openapi.ts\n`);
    process.exitCode = 1;
  }
}

/** Returns a document as it is parsed from its JSON, without undefined fields. */
function plain(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document));
}
