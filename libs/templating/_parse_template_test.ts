import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTemplate } from "./_parse_template.ts";

const TOO_MANY = "The template has more than 5000 placeholders and blocks";

test("parseTemplate() counts each argument, however few the placeholders are", () => {
  const list = (count: number) => `{{and${" a".repeat(count)}}}`;
  // The name of the helper counts, too.
  assert.equal(parseTemplate("html", list(4_999)).error, undefined);
  assert.equal(parseTemplate("html", list(5_000)).error?.message, TOO_MANY);
});

test("parseTemplate() counts each step of a path", () => {
  const paths = (count: number) => `{{a${".a".repeat(199)}}}`.repeat(count);
  assert.equal(parseTemplate("html", paths(25)).error, undefined);
  assert.equal(parseTemplate("html", paths(26)).error?.message, TOO_MANY);
});
