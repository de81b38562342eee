import assert from "node:assert/strict";
import { test } from "node:test";
import { publishEmail } from "@posthaste/templating";
import { markedPartials } from "./marked_partials.ts";
import { readMarks } from "./read_marks.ts";

const namesOf = (html: string, partials: Record<string, string>) =>
  markedPartials(html, Object.entries(partials).map(([name, source]) => ({ name, source })))
    .map(({ name }) => name);

test("markedPartials() leaves out partials that are called outside of texts, and those that they call", () => {
  const partials = { a: "<p>{{> b }}</p>", b: "B", c: "C" };
  const cases: [string, string[]][] = [
    ["<p>{{> a}} {{~> 'c'}}</p>", ["a", "b", "c"]],
    ["{{#> a}}x{{/a}}", ["a", "b", "c"]],
    ['<a href="{{> c}}">{{> c}}</a>', ["a", "b"]],
    ["<head><style>{{> a}}</style></head><body>{{> c}}</body>", ["c"]],
    ["<!-- {{> b}} --><mj-text css-class='{{#> c}}x{{/c}}'>x</mj-text>", ["a"]],
    ["<svg/>{{> c}}<style/><p>{{> b}}</p>", ["a", "b", "c"]],
  ];
  for (const [html, names] of cases) assert.deepEqual(namesOf(html, partials), names, html);
  assert.deepEqual(namesOf("{{> a", partials), ["a", "b", "c"]);
});

test("markedPartials() shows whose texts are in a mail", async () => {
  const partials = [
    {
      name: "base",
      source: "<html><body><h1>Acme</h1>{{> @partial-block}}{{> foot}}</body></html>",
    },
    { name: "foot", source: "{{#if a}}\nAcme, Rome\n{{/if}}" },
  ];
  const html = "{{#> base}}<p>Hello</p>{{/base}}";
  const marked = markedPartials(html, partials);
  const { html: page } = await publishEmail({
    ...{ subject: "x", html },
    includes: { partials: Object.fromEntries(marked.map(({ name, source }) => [name, source])) },
  });
  const { text, texts } = readMarks(page.replace(/<[^>]*>/g, ""));
  const found = texts.map(({ type, number, start, end }) => [
    ...[type, marked[number]?.name, text.slice(start, end).trim()],
  ]);
  assert.deepEqual(found, [["partial", "base", "Acme"], [
    "partial",
    "foot",
    "{{#if a}}\nAcme, Rome\n{{/if}}",
  ]]);
});
