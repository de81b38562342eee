import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ENDPOINTS, ERROR_STATUS, ISSUE_CODES } from "@posthaste/contracts";
import { withHttpTables } from "./http_tables.ts";

const page = await readFile(new URL("../docs/http.md", import.meta.url), "utf8");

/** Returns the rows of a table of the page, without its head. */
function rowsOf(title: string, text = page): string[] {
  const [, table = ""] = text.split(`<!-- Written by tools/openapi.ts: ${title} -->\n\n`);
  return table.split("\n\n")[0]?.split("\n").slice(2) ?? [];
}

test("withHttpTables() lists every endpoint with its scopes, and every code with its status", () => {
  const endpoints = rowsOf("endpoints");
  assert.equal(endpoints.length, ENDPOINTS.length);
  for (const [index, { method, path, scopes, section }] of ENDPOINTS.entries()) {
    const row = endpoints[index] ?? "";
    assert.ok(row.startsWith(`| [\`${method} ${path}\`](#${section}) |`), row);
    assert.ok(scopes.every((scope) => row.includes(`\`${scope}\``)), row);
  }
  const errors = rowsOf("codes of errors").map((row) => row.split(" | ").slice(0, 2).join(" "));
  for (const [code, status] of Object.entries(ERROR_STATUS)) {
    const shown = code === "unauthenticated" ? "none" : `\`${code}\``;
    const found = errors.filter((row) => row.includes(shown));
    assert.equal(found.length, code === "unknown_pdf_template" ? 2 : 1, code);
    assert.ok(found[0]?.startsWith(`| ${status} `), found[0]);
  }
  const issues = rowsOf("codes of issues").map((row) => row.split(" | ")[0] ?? "");
  const codes = issues.join().matchAll(/`(\w+)`/g).map(([, code = ""]) => code).toArray();
  assert.deepEqual(codes.sort(), ISSUE_CODES.toSorted());
});

test("withHttpTables() lists what an endpoint answers besides the codes of all", () => {
  const rows = rowsOf("errors of renderPdfTemplate").map((row) =>
    row.split(" | ").slice(0, 2).join(" ")
  );
  assert.deepEqual(rows, [
    ...["| 400 `missing_variable`", "| 400 `unprintable_variable`"],
    ...["| 404 `unknown_pdf_template`", "| 422 `template_failed`"],
    ...["| 504 `render_timeout`", "| 504 `print_timeout`"],
  ]);
});

test("withHttpTables() lists limits with the defaults of their settings", () => {
  const limits = rowsOf("limits");
  const expected = [
    "| body | 5 MB | `BODY_LIMIT` |",
    "| recipients of one batch; parts | 1,000,000; 10,000 |  |",
    "| open batches of one account; time that one stays open | 100; 24 hours |  |",
    "| requests of one token, per process | 100 in 1 s | `RATE_LIMIT`, `RATE_WINDOW` |",
    "| wait for the database, in one request | 1.2 s | `LEDGER_TIMEOUT` |",
    "| start of a send, ahead | 90 days | `MAX_SCHEDULE` |",
  ];
  for (const row of expected) assert.ok(limits.includes(row), row);
  assert.ok(limits.every((row) => !/\{|NaN|undefined/.test(row)), limits.join("\n"));
});

test("withHttpTables() writes a changed row anew, and keeps the text around it", () => {
  const [row = ""] = rowsOf("endpoints");
  const stale = page.replace(row, "| `GET /v1/other` | any | does something else |");
  assert.notEqual(stale, page);
  assert.equal(withHttpTables(stale), page);
  const longer = page.replace(row, `${row}\n${row}`);
  assert.equal(withHttpTables(longer), page);
});

test("withHttpTables() fails without a table, and with an unknown one", () => {
  const mark = "<!-- Written by tools/openapi.ts: endpoints -->";
  assert.throws(() => withHttpTables(page.replace(mark, "")), /must have the table "endpoints"/);
  const other = page.replace(mark, mark.replace("endpoints", "others"));
  assert.throws(() => withHttpTables(other), /no table "others"/);
});
