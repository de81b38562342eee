import assert from "node:assert/strict";
import { test } from "node:test";
import { templateVariables } from "./template_variables.ts";

const namesIn = (html: string) => templateVariables({ html }).map(({ name }) => name);
const pathsIn = (html: string) => templateVariables({ html }).flatMap(({ paths }) => paths);

test("templateVariables() joins subject, HTML and text, with the place of the first use", () => {
  assert.deepEqual(
    templateVariables({ subject: "Hi", html: "a\n {{name}} {{b.c}}", text: "{{name}}{{d}}" }),
    [
      { name: "name", paths: ["name"], usedIn: ["html", "text"], line: 2, column: 4 },
      {
        ...{ name: "b", paths: ["b.c"], usedIn: ["html"], line: 2, column: 13 },
        fields: [{ path: "b.c", part: "html", line: 2, column: 13 }],
      },
      { name: "d", paths: ["d"], usedIn: ["text"], line: 1, column: 11 },
    ],
  );
});

test("templateVariables() assigns a name inside each or with to the list or object", () => {
  assert.deepEqual(
    pathsIn("{{#each lines}}{{price}}{{@index}}{{../cur}}{{@root.vat}}{{else}}{{none}}{{/each}}"),
    ["lines", "lines[].price", "cur", "vat", "none"],
  );
  assert.deepEqual(pathsIn("{{#with a}}{{#if vip}}{{name}}{{/if}}{{/with}}"), [
    "a",
    "a.vip",
    "a.name",
  ]);
});

test("templateVariables() follows block parameters", () => {
  assert.deepEqual(
    pathsIn("{{#each lines as |line i|}}{{i}}{{line.price}}{{this.line}}{{/each}}"),
    [
      "lines",
      "lines[].price",
      "lines[].line",
    ],
  );
});

test("templateVariables() counts variables that occur only inside an if, and excludes helpers", () => {
  assert.deepEqual(namesIn("{{#if a}}{{b}}{{else if c}}{{d}}{{/if}}"), ["a", "b", "c", "d"]);
  assert.deepEqual(namesIn('{{currency (add x 1) "EUR" locale=l}}{{upper y}}'), ["x", "l", "y"]);
});

test("templateVariables() treats the name of a helper without arguments as a variable", () => {
  assert.deepEqual(namesIn("{{date}} {{date due}} {{{currency}}}"), ["date", "due", "currency"]);
});

test("templateVariables() reports nothing for unknown names inside a computed context", () => {
  assert.deepEqual(namesIn("{{#each (lookup map key)}}{{x}}{{@root.y}}{{/each}}"), [
    "map",
    "key",
    "y",
  ]);
});

test("templateVariables() knows the names of a `let` from the blocks inside of it", () => {
  assert.deepEqual(
    pathsIn(
      "{{#let a b=c d=1}}{{#with e}}{{../b}}{{../d}}{{../f}}{{b}}{{#each g}}{{../../b}}{{../b}}{{/each}}" +
        "{{/with}}{{../b}}{{/let}}{{b}}",
    ),
    ["a", "a.e", "a.f", "a.e.b", "a.e.g", "c", "b"],
  );
  assert.deepEqual(namesIn("{{#let t=1}}{{#each x}}{{../t}}{{/each}}{{/let}}"), ["x"]);
});

test("templateVariables() reads the fields that a text names", () => {
  assert.deepEqual(
    pathsIn(
      '{{sum lines "price" "a.b"}}{{#with a}}{{lookup . "name"}}{{lookup @root "vat"}}{{/with}}',
    ),
    ["lines", "lines[].price", "a", "a.name", "vat"],
  );
  assert.deepEqual(pathsIn('{{sum (lookup a k) "price"}}{{lookup a k}}{{lookup @key "x"}}'), [
    "a",
    "k",
  ]);
});

test("templateVariables() returns the place of each field's first use", () => {
  const fields = templateVariables({
    subject: "{{a.b}}",
    html: "{{#each a.list}}\n{{c}}{{../a.b}}{{/each}}{{a.[b.c]}}{{a.[b[]}}{{a}}",
    text: "{{a.d}}",
  }).flatMap(({ fields = [] }) => fields);
  assert.deepEqual(
    fields.map(({ path, part, line, column }) => `${path} ${part} ${line}:${column}`),
    [
      ...["a.b subject 1:3", "a.list html 1:9", "a.list[].c html 2:3", "a.d text 1:3"],
    ],
  );
});
