import assert from "node:assert/strict";
import { test } from "node:test";
import { examplesOf } from "./read_examples.ts";

test("examplesOf() returns each block with its place, its language and whether it is run", () => {
  const page = [
    "# Page",
    "```sh",
    "# no title",
    "curl $URL",
    "```",
    "## Section",
    "- item",
    "  ```sh no-run",
    "  reboot",
    "  ```",
    "```",
    "text",
    "```",
  ].join("\n");
  const base = { page: "page.md", isRun: true };
  assert.deepEqual(examplesOf(page, "page.md"), [
    { ...base, line: 2, section: "Page", language: "sh", text: "# no title\ncurl $URL\n" },
    { ...base, line: 8, section: "Section", language: "sh", isRun: false, text: "reboot\n" },
    { ...base, line: 11, section: "Section", language: "", text: "text\n" },
  ]);
});
