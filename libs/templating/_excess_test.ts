import assert from "node:assert/strict";
import { test } from "node:test";
import { excessOf } from "./_excess.ts";

const MOST = { depth: 50, words: 50_000 };

/** Sources with a number of nested constructs. */
const NESTED: Record<string, (depth: number) => string> = {
  blocks: (depth) => "{{#if a}}".repeat(depth) + "{{/if}}".repeat(depth),
  "blocks that ask for the contrary": (depth) =>
    "{{^if a}}".repeat(depth) + "{{/if}}".repeat(depth),
  parentheses: (depth) => `{{and ${"(not ".repeat(depth)}a${")".repeat(depth)}}}`,
  "else-ifs": (depth) => `{{#if a}}${"{{else if b}}".repeat(depth - 1)}{{/if}}`,
  "blocks of partials": (depth) => "{{#> a}}".repeat(depth) + "{{/a}}".repeat(depth),
  "blocks that others hide": (depth) =>
    "{{#if a}}{{#> b}}{{/b}}".repeat(depth - 1) + "{{#if a}}" + "{{/if}}".repeat(depth),
};

for (const [what, nested] of Object.entries(NESTED)) {
  test(`excessOf() counts nested ${what}, and not those side by side`, () => {
    assert.equal(excessOf(nested(50), MOST), undefined);
    assert.equal(excessOf(nested(51), MOST), "depth");
    assert.equal(
      excessOf(`${nested(30)}{{#each l}}${nested(20)}{{/each}}`.repeat(3), MOST),
      undefined,
    );
  });
}

test("excessOf() counts words of placeholders, and texts between them", () => {
  // {{, a, }} and the text behind it.
  assert.equal(excessOf("{{a}} ".repeat(10), { ...MOST, words: 40 }), undefined);
  assert.equal(excessOf("{{a}} ".repeat(10), { ...MOST, words: 39 }), "words");
});

test("excessOf() leaves text that the lexer does not understand to the parser", () => {
  assert.equal(excessOf("{{#if a}} {{ ? }}", MOST), undefined);
});
