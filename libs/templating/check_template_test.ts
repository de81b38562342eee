import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { checkTemplate } from "./check_template.ts";

const errorsOf = (html: string) =>
  checkTemplate({ html }).map(({ line, column, message }) => `${line}:${column} ${message}`);

test("checkTemplate() accepts correct uses of the helpers", () => {
  assert.deepEqual(
    errorsOf(
      '{{#if (gt a 1)}}{{date b "long" tz="UTC"}}{{else}}{{{c}}}{{/if}} \\{{x}} {{!-- }} --}}',
    ),
    [],
  );
});

test("checkTemplate() turns faults of syntax into a sentence with line and column", () => {
  const cases: [string, string][] = [
    ["a\n  {{#if x}} b", "2:3 {{#if}} is never closed: add {{/if}}"],
    ["a {{#if x}}\n{{/each}}", "1:3 {{#if}} is closed by {{/each}}: write {{/if}}"],
    ["a\n {{ x", "2:5 The placeholder is not closed: add }}"],
    ["a\n{{/if}}", "2:1 This closes a block that was never opened"],
    ["x {{else}}", "1:3 {{else}} is outside of a block"],
    [
      "<style>a{color:{{x}}}</style>",
      "1:19 Three braces close what two braces opened: add a space between }} and }",
    ],
  ];
  for (const [source, message] of cases) assert.deepEqual(errorsOf(source), [message]);
});

test("checkTemplate() names every wrong helper and suggests a similar one", () => {
  assert.deepEqual(errorsOf('{{curency x "EUR"}}\n {{#if (eqq a b)}}{{/if}} {{first name}}'), [
    '1:1 There is no helper "curency": did you mean "currency"?',
    '2:8 There is no helper "eqq": did you mean "eq"?',
    '2:27 There is no helper "first"; variable names have no spaces',
  ]);
  assert.deepEqual(errorsOf('{{date x timezone="UTC"}}{{date x tzz="UTC"}}{{eq 1}}'), [
    '1:10 "date" has no option "timezone"',
    '1:35 "date" has no option "tzz": did you mean "tz"?',
    '1:46 "eq" needs more arguments: write {{eq a b}}',
  ]);
});

test("checkTemplate() distinguishes blocks from inline helpers", () => {
  assert.deepEqual(errorsOf("{{#items}}{{/items}}{{#upper x}}{{/upper}}{{if x}}"), [
    '1:1 There is no block "items": write {{#each items}} for a list, {{#with items}} for an object, or {{#if items}} for a condition',
    '1:21 "upper" is not a block: write {{upper text}}',
    '1:43 "if" is a block: write {{#if value}}…{{else}}…{{/if}}',
  ]);
});

test("checkTemplate() refuses block parameters for values that a block does not have", () => {
  const message = '1:1 "as |name|" is for {{#each}} and {{#with}}';
  for (const block of ["#if x", "#unless x", "^each x"]) {
    const name = block.slice(1).split(" ")[0];
    assert.deepEqual(errorsOf(`{{${block} as |y|}}{{y}}{{/${name}}}`), [message], block);
  }
  assert.deepEqual(
    errorsOf("{{#each x as |y n|}}{{y}}{{/each}}{{#with x as |y|}}{{y}}{{/with}}"),
    [],
  );
});

test("checkTemplate() refuses partials, decorators, raw blocks and data of the engine", () => {
  const sources = [
    "{{> x}}",
    "{{> (lookup . 'x')}}",
    "{{#> x}}{{/x}}",
    "{{* x}}",
    "{{#*inline 'x'}}{{/inline}}",
    "{{{{raw}}}}{{{{/raw}}}}",
    "{{@settings}}",
    "{{log x}}",
    "{{helperMissing x}}",
  ];
  for (const source of sources) assert.equal(errorsOf(source).length, 1, source);
});

test("checkTemplate() accepts only text, never a syntax tree", () => {
  const tree = { type: "Program", body: [] } as unknown as string;
  assert.deepEqual(errorsOf(tree), ["1:1 A template must be a text"]);
});

test("checkTemplate() reports each part by itself", () => {
  const errors = checkTemplate({ subject: "{{", html: "ok", text: "{{nope x}}" });
  assert.deepEqual(errors.map(({ part }) => part), ["subject", "text"]);
});

test("checkTemplate() refuses bombs before they cost anything", () => {
  const bombs = {
    "100,000 placeholders": "{{a}}".repeat(100_000),
    "4,000 nested ifs": "{{#if a}}".repeat(4_000) + "{{/if}}".repeat(4_000),
    "60 nested ifs": "{{#if a}}".repeat(60) + "{{/if}}".repeat(60),
    "20,000 nested parentheses": `{{eq ${"(not ".repeat(20_000)}a${")".repeat(20_000)} 1}}`,
    "100,000 arguments": `{{and ${"a ".repeat(100_000)}}}`,
    "a path of 100,000 steps": `{{a${".a".repeat(100_000)}}}`,
    "4,000 else-ifs": `{{#if a}}${"{{else if b}}".repeat(4_000)}{{/if}}`,
    "100,000 steps up": `{{${"../".repeat(100_000)}a}}`,
    "100,000 options": `{{date a ${"tz=b ".repeat(100_000)}}}`,
    "50,000 block parameters": `{{#each l as |${"a ".repeat(50_000)}|}}{{/each}}`,
    "a name of 500,000 characters": `{{${"a".repeat(500_000)}}}`,
    "600 kB": "x".repeat(600_000),
  };
  for (const [name, source] of Object.entries(bombs)) {
    const start = process.cpuUsage().user;
    const errors = errorsOf(source);
    const took = (process.cpuUsage().user - start) / 1_000;
    assert.equal(errors.length, 1, name);
    assert.match(errors[0] ?? "", /more than|at most/, name);
    assert.ok(took < 2_000, `${name} took ${took} ms`);
  }
});

test("checkTemplate() explains a wrong end in linear time, whatever the names are", async () => {
  const explain = (count: number) => () => {
    const [error] = errorsOf(`{{#[${"a doesn't match b - 1:1 ".repeat(count)}]}}{{/x}}`);
    assert.match(error ?? "", /is closed by/);
    assert.ok((error ?? "").length < 500);
  };
  const ratio = await cpuRatio(explain(8_000), explain(1_000), { below: 24 });
  // Linear is 8, quadratic 64.
  assert.ok(ratio < 24, `a name 8 times as long costs ${ratio} times as much`);
});

test("checkTemplate() accepts thirty else-ifs, side by side or in blocks", () => {
  const chain = `{{#if a}}1${"{{else if b}}2".repeat(30)}{{else}}3{{/if}}`;
  assert.deepEqual(errorsOf(`${chain.repeat(20)}{{#each l}}${chain}{{/each}}`), []);
});
