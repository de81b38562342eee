/**
 * Writes the OpenAPI documents out of their lists of endpoints: docs/openapi.json and the tables in
 * docs/http.md out of `ENDPOINTS` (`libs/contracts/endpoints.ts`), docs/manage_openapi.json and the table in
 * docs/manage.md out of `MANAGE_ENDPOINTS` (`services/dashboard/manage`). With `--check` it only reports stale
 * files.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { type JsonObject, openApiDocument } from "@posthaste/contracts";
import { withHttpTables } from "./http_tables.ts";

const DOCS = new URL("../docs/", import.meta.url);
const TABLE = /^\| route \| scopes \| \|\n(?:\|.*\n)+/m;

/** What services/dashboard/manage/manage_document.ts exports for this. */
interface ManageDocument {
  manageDocument(): JsonObject;
  manageTable(): string;
}

// By its place: no library may be imported from a service.
const LIST = new URL("../services/dashboard/manage/manage_document.ts", import.meta.url);
const { manageDocument, manageTable }: ManageDocument = await import(LIST.href);

const page = await readFile(new URL("manage.md", DOCS), "utf8");
if (!TABLE.test(page)) throw new Error("Cannot find the table of routes in docs/manage.md");

const files: Record<string, string> = {
  "openapi.json": textOf(openApiDocument()),
  "http.md": withHttpTables(await readFile(new URL("http.md", DOCS), "utf8")),
  "manage_openapi.json": textOf(manageDocument()),
  "manage.md": page.replace(TABLE, () => `${manageTable()}\n`),
};
for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, DOCS);
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
  } else if (await readFile(file, "utf8").catch(() => "") !== text) {
    process.stderr.write(`docs/${name} is stale: run node tools/openapi.ts\n`);
    process.exitCode = 1;
  }
}

function textOf(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
