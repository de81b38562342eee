import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { test } from "node:test";
import { MAX_PARTIAL_CHARACTERS, MAX_PARTIALS } from "@posthaste/contracts";
import { HELPERS } from "./helper_list.ts";
import { TEMPLATE_LIMITS } from "./limits.ts";

const PAGE = new URL("../../docs/templates.md", import.meta.url);
const SECTION = /(<!-- helpers -->\n)[\s\S]*(<!-- \/helpers -->)/;

/** Returns the table of helpers. Its examples run in helpers_test.ts, so their outputs are correct. */
function helperTable(): string {
  const rows = HELPERS.map(({ kind, signature, summary, example }) => {
    const form = kind === "block" ? signature : `{{${signature}}}`;
    const output = example.output.split("\n").map((line) => `\`${line}\``).join("<br>");
    const cells = [`\`${form}\``, summary, `\`${example.template}\``, output];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return ["| Write | Result | Example | Output |", "|---|---|---|---|", ...rows, ""]
    .join(
      "\n",
    );
}

test("docs/templates.md lists every helper with its example (UPDATE_DOCS=1 writes it)", async () => {
  const page = await readFile(PAGE, "utf8");
  const wanted = page.replace(SECTION, (_, open, close) => `${open}${helperTable()}${close}`);
  assert.match(page, SECTION);
  if (process.env["UPDATE_DOCS"]) await writeFile(PAGE, wanted);
  else assert.equal(page, wanted);
});

test("docs/templates.md has each helper in one line of the table", async () => {
  const [, , table = ""] = /(<!-- helpers -->\n)([\s\S]*)<!-- \/helpers -->/
    .exec(await readFile(PAGE, "utf8")) ?? [];
  const lines = table.trim().split("\n");
  assert.equal(lines.length, HELPERS.length + 2);
  for (const line of lines) assert.match(line, /^\|.*\|$/);
});

test("docs/templates.md states the limits that hold", async () => {
  const page = await readFile(PAGE, "utf8");
  const { characters, nodes, words, name, depth } = TEMPLATE_LIMITS;
  const { subject, html, text } = characters;
  for (const limit of [subject, html, text, nodes, words, name, depth]) {
    assert.ok(page.includes(` ${limit.toLocaleString("en")} `), String(limit));
  }
});

test("the pages state the limits of partials", async () => {
  const { calls, depth, characters } = TEMPLATE_LIMITS.partials;
  const [most, together] = [calls.toLocaleString("en"), characters.toLocaleString("en")];
  const each = MAX_PARTIAL_CHARACTERS.toLocaleString("en");
  const pages = await Promise.all(
    [PAGE, new URL("manage.md", PAGE)].map((page) => readFile(page, "utf8")),
  );
  // Sentences may break at any word.
  const text = pages.join(" ").replaceAll(/\s+/g, " ");
  const sentences = [
    `at most ${most} calls, ${depth} inside each other`,
    `at most ${together} characters together`,
    `at most ${MAX_PARTIALS} partials of ${each} characters each`,
  ];
  assert.deepEqual(sentences.filter((sentence) => !text.includes(sentence)), []);
});
