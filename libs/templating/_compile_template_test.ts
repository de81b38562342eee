import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "./_compile_template.ts";
import { plainData } from "./_plain_data.ts";
import { RenderError } from "./render_error.ts";

function fill(source: string, data: unknown = {}, escape: "html" | "none" = "html"): string {
  return compileTemplate(source, { escape })(plainData(data));
}

test("compileTemplate() escapes for HTML and leaves plain text alone", () => {
  assert.equal(fill("{{a}} {{{a}}}", { a: "<b>" }), "&lt;b&gt; <b>");
  assert.equal(fill("{{a}}", { a: "<b>" }, "none"), "<b>");
});

test("compileTemplate() prints nothing for missing values, and 0 and false as they are", () => {
  assert.equal(
    fill("[{{a}}{{b.c.d}}{{n}}]{{zero}}{{no}}", { n: null, zero: 0, no: false }),
    "[]0false",
  );
});

test("compileTemplate() returns empty text for every path to a prototype", () => {
  const sources = [
    "{{constructor}}{{__proto__}}{{toString}}{{hasOwnProperty}}{{valueOf}}",
    "{{constructor.constructor}}{{text.constructor}}{{text.split}}{{list.map}}{{list.constructor}}",
    '{{lookup this "constructor"}}{{lookup this "__proto__"}}{{lookup list "constructor"}}',
    '{{#with (lookup this "__proto__")}}x{{/with}}{{#with text.constructor}}x{{/with}}',
    "{{@root.constructor}}{{@root.__proto__}}{{#each list}}{{constructor}}{{../constructor}}{{/each}}",
    "{{helperMissing}}{{blockHelperMissing}}{{log}}{{settings}}{{if}}{{lookup}}",
  ];
  for (const source of sources) assert.equal(fill(source, { text: "t", list: [1] }), "", source);
});

test("compileTemplate() treats malicious keys as data", () => {
  const data = JSON.parse('{"__proto__":{"admin":"yes"},"o":{"toString":"t","toHTML":"h"}}');
  assert.equal(fill("{{admin}}|{{o.toString}}|{{o.toHTML}}", data), "|t|h");
});

test("compileTemplate() prints a variable that has the name of a helper", () => {
  const data = { date: "today", currency: "EUR", list: ["x"] };
  assert.equal(fill("{{date}} {{currency}}", data), "today EUR");
  assert.equal(fill("{{#each list as |date|}}{{date}}{{/each}}", data), "x");
  assert.equal(fill("{{currency 1 currency}}", data), "€1.00");
});

test("compileTemplate() refuses to print an object, and suggests what to write", () => {
  for (const escape of ["html", "none"] as const) {
    assert.throws(
      () => fill("Dear {{customer}}", { customer: { first: "Ada", last: "L" } }, escape),
      new RenderError(
        "error",
        'Cannot print an object as text: name one of its fields ("first", "last")',
      ),
    );
  }
});

test("compileTemplate() reports where in the template a helper failed", () => {
  assert.throws(() => fill('a\n {{currency x "EUR"}}', { x: "ten" }), (error) => {
    assert.ok(error instanceof RenderError);
    assert.equal(error.message, 'Cannot format currency "ten": it is not a number');
    assert.deepEqual([error.code, error.line, error.column], ["error", 2, 2]);
    return true;
  });
});

test("compileTemplate() refuses every template that checkTemplate() refuses", () => {
  assert.throws(() => fill("{{> x}}"), /Partials/);
  assert.throws(() => fill({ type: "Program", body: [] } as unknown as string), /must be a text/);
});

test("plainData() refuses values that are nested too deep", () => {
  let deep: unknown = 1;
  for (let n = 0; n < 100; n++) deep = { deep };
  assert.throws(() => plainData(deep), { code: "data" });
});
