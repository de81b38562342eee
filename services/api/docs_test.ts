import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ISSUE_CODES, sendBodySchema } from "@posthaste/contracts";

const PAGE = new URL("../../docs/http.md", import.meta.url);
const TABLE = /^The `code` of an issue is one of these:\n\n[^]*?\n\n/m;

test("docs/http.md lists every code of an issue, and no other", async () => {
  const [table = ""] = TABLE.exec(await readFile(PAGE, "utf8")) ?? [];
  const cells = [...table.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell);
  const codes = cells.join(", ").replaceAll("`", "").split(", ");
  assert.deepEqual(codes.sort(), ISSUE_CODES.toSorted());
});

test("docs/http.md shows a valid envelope with files", async () => {
  const [, example = ""] =
    /^### Envelope\n\n```json\n([^]*?)^```$/m.exec(await readFile(PAGE, "utf8")) ?? [];
  assert.deepEqual(Object.keys(sendBodySchema().parse(JSON.parse(example))).length, 7);
});
