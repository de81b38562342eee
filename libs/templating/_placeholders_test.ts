import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { hidePlaceholders } from "./_placeholders.ts";

test("hidePlaceholders() restores what it hid, whatever the case or an added attribute value", () => {
  const source =
    `a {{b}} {{{c}}} {{~{d}~}} {{#if (eq x "}}")}}{{/if}} {{! it's }} {{!-- }} --}} \\{{e}} {{[f'g]}}`;
  const { text, tags, restore, order } = hidePlaceholders(source);
  assert.equal(tags.length, 9);
  assert.ok(!text.includes("{{"));
  assert.equal(restore(text), source);
  assert.equal(
    restore(text.toUpperCase().replace(/(PHX\d+Z)/, '$1=""')),
    source.toUpperCase().replace("{{B}}", "{{b}}").replace("{{{C}}}", "{{{c}}}").replace(
      "{D}",
      "{d}",
    ).replace('{{#IF (EQ X "}}")}}{{/IF}}', '{{#if (eq x "}}")}}{{/if}}').replace(
      "{{! IT'S }}",
      "{{! it's }}",
    ).replace("{{E}}", "{{e}}").replace("{{[F'G]}}", "{{[f'g]}}"),
  );
  assert.deepEqual(order(text), tags.map((_, index) => index));
});

test("hidePlaceholders() never confuses a word of the source with its own", () => {
  const source = "phx0z PHX0X {{a}}";
  const { text, restore } = hidePlaceholders(source);
  assert.equal(restore(text), source);
});

test("hidePlaceholders() takes linear time on quotes that never end", async () => {
  const hide = (quotes: number) => () => hidePlaceholders("\\{{ " + `"'`.repeat(quotes));
  // Few at first: every way to pair them would be thousands of times as much.
  for (const count of [2, 6_250]) {
    const ratio = await cpuRatio(hide(8 * count), hide(count), { below: 40 });
    // Linear is 8, quadratic 64.
    assert.ok(ratio < 40, `8 times ${count} quotes cost ${ratio} times as much`);
  }
});

test("sourceLine() and placeOf() count the lines inside hidden tags", () => {
  const hidden = hidePlaceholders("a\n{{#if\n\n x}}\nb {{c}}\n{{/if}}");
  assert.equal(hidden.sourceLine(3), 5);
  assert.deepEqual(hidden.placeOf(1), { line: 5, column: 3 });
});

test("hidePlaceholders() finds a free word in linear time, whatever words the source is made of", async () => {
  const hide = (count: number) => {
    const words = Array.from({ length: count }, (_, n) => `PHX${n}x`).join(" ");
    const source = `${words}{{a}} phx${count + 1}x99999999999x`;
    return () => {
      const hidden = hidePlaceholders(source);
      assert.equal(hidden.restore(hidden.text), source);
      assert.equal(hidden.order(hidden.text).length, 1);
    };
  };
  const ratio = await cpuRatio(hide(16_000), hide(2_000), { below: 40 });
  // Linear is 8, quadratic 64.
  assert.ok(ratio < 40, `8 times the words cost ${ratio} times as much`);
});
