import assert from "node:assert/strict";
import { test } from "node:test";

// By their places: a web page cannot import the library, and its sandbox must not load another one.
const { TAG }: { TAG: RegExp } = await import(
  new URL("../libs/templating/_placeholders.ts", import.meta.url).href
);
const { templateTags }: {
  templateTags(source: string): { start: number; end: number }[] | null;
} = await import(new URL("../services/dashboard/texts/template_tags.ts", import.meta.url).href);

/** What tags begin and end with, what may hide an end, and what may stand around. */
const PIECES = [
  "{{",
  "{{{",
  "{{!",
  "{{!--",
  "}}",
  "}}}",
  "--}}",
  "~",
  '"',
  "'",
  "[",
  "]",
  "\\",
  "a",
];
const LENGTH = 5;

test("templateTags() finds the tags that the templating library finds, in every valid source", () => {
  let valid = 0;
  for (const source of sources(LENGTH)) {
    const tags = templateTags(source);
    if (tags === null) continue;
    valid++;
    const found = [...source.matchAll(TAG)].map(({ 0: tag, index }) => `${index}:${tag}`);
    const expected = tags.map(({ start, end }) => `${start}:${source.slice(start, end)}`);
    if (found.join("\n") !== expected.join("\n")) assert.deepEqual(found, expected, source);
  }
  assert.ok(valid > 10_000, `${valid} valid sources`);
});

function* sources(length: number): Generator<string> {
  if (length === 0) return yield "";
  for (const rest of sources(length - 1)) for (const piece of PIECES) yield piece + rest;
}
