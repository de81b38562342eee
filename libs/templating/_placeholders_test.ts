import assert from "node:assert/strict";
import { test } from "node:test";
import { hidePlaceholders } from "./_placeholders.ts";

test("hidePlaceholders() gives back what it hid, whatever the case or an added attribute value", () => {
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

test("hidePlaceholders() never takes a word of the source for its own", () => {
  const source = "phx0z PHX0X {{a}}";
  const { text, restore } = hidePlaceholders(source);
  assert.equal(restore(text), source);
});

test("hidePlaceholders() is quick on quotes that never end", () => {
  const start = performance.now();
  hidePlaceholders("\\{{ " + `"'`.repeat(50_000));
  assert.ok(performance.now() - start < 1_000);
});

test("sourceLine() and placeOf() count the lines inside hidden tags", () => {
  const hidden = hidePlaceholders("a\n{{#if\n\n x}}\nb {{c}}\n{{/if}}");
  assert.equal(hidden.sourceLine(3), 5);
  assert.deepEqual(hidden.placeOf(1), { line: 5, column: 3 });
});

test("hidePlaceholders() finds a free word at once, whatever words the source is made of", () => {
  const words = Array.from({ length: 50_000 }, (_, n) => `PHX${n}x`).join(" ");
  const started = performance.now();
  const hidden = hidePlaceholders(`${words}{{a}} phx50001x99999999999x`);
  assert.equal(hidden.restore(hidden.text), `${words}{{a}} phx50001x99999999999x`);
  assert.equal(hidden.order(hidden.text).length, 1);
  assert.ok(performance.now() - started < 1_000, `${performance.now() - started} ms`);
});
