import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRanges } from "./plain_ranges.ts";

test("plainRanges() finds paragraphs with their values and conditions", () => {
  const cases: [string, string[]][] = [
    ["Hello {{ name }},\n\n  your <b>invoice</b> &amp;\r\nmore.\n \t\n\nBye\n", [
      "Hello {{ name }},",
      "your <b>invoice</b> &amp;\r\nmore.",
      "Bye",
    ]],
    ["Yours{{#if firm}}, {{ firm }}{{else}} we{{/if}}.", [
      "Yours{{#if firm}}, {{ firm }}{{else}} we{{/if}}.",
    ]],
    ["Lines:\n{{#each lines}}\n- {{ name }}: {{{ sum }}}\n{{/each}}\nEnd", [
      "Lines:",
      "- {{ name }}: {{{ sum }}}",
      "End",
    ]],
    ["{{#if a}}\nA\n{{/if}}", ["A"]],
    ["A {{#if a}}b\n\nc{{/if}} d", ["A", "b", "c", "d"]],
    ["Hi {{> greeting }} you {{!-- no --}}\n{{ name }}", ["Hi", "you", "{{ name }}"]],
    ["{{{ rows }}}\n\n \u00a0\n", []],
    ["a \ufdda", []],
    ["a {{ b", []],
    ["", []],
  ];
  for (const [source, texts] of cases) {
    const found = plainRanges(source).map(({ start, end }) => source.slice(start, end));
    assert.deepEqual(found, texts, source);
  }
});

test("plainRanges() takes time proportional to the length of malicious sources", () => {
  for (const piece of ["\n", "\n  ", " ", "{{#if a}}", "{{/if}}\n", "\n\n{{ a }}", "x{{", "\r\n"]) {
    assert.ok(plainRanges(piece.repeat(500_000 / piece.length)).length <= 500_000);
  }
});
