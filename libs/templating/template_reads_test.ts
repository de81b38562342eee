import assert from "node:assert/strict";
import { test } from "node:test";
import { templateReads } from "./template_reads.ts";

const readsIn = (html: string) =>
  templateReads({ html }).map(({ path, uses, always }) =>
    `${path} ${uses.join("+")}${always ? " always" : ""}`
  );

test("templateReads() returns the uses of each value", () => {
  assert.deepEqual(
    readsIn(
      '{{name}}{{#if vip}}!{{/if}}{{date due "long"}}{{currency total cur}}{{upper code}}' +
        '{{#each lines}}{{price}}{{@root.vat}}{{/each}}{{join tags ", "}}{{#if (eq a b)}}{{/if}}',
    ),
    [
      ...["name printed always", "vip tested", "due date", "total number", "cur tested"],
      ...["code printed always", "lines iterated", "lines[].price printed", "vat printed"],
      ...["tags iterated", "a tested", "b tested"],
    ],
  );
});

test("templateReads() reads the fields that a text names", () => {
  assert.deepEqual(
    readsIn(
      '{{sum lines "price"}}{{lookup a "b"}}{{date (lookup c "d")}}{{#if e}}{{lookup a "f"}}{{/if}}',
    ),
    [
      ...["lines iterated", "lines[].price number", "a tested", "a.b printed always", "c tested"],
      ...["c.d date", "e tested", "a.f printed"],
    ],
  );
});

test("templateReads() reads what a `let` gave under the name in a text", () => {
  assert.deepEqual(
    readsIn('{{#let a b=c d="x"}}{{lookup . "b"}}{{lookup . "d"}}{{lookup . "e"}}{{/let}}'),
    [
      ...["a tested", "c tested+printed always", "a.e printed always"],
    ],
  );
});

test("templateReads() marks as `always` only what every path through the template prints", () => {
  assert.deepEqual(readsIn("{{#if a}}{{b}}{{c}}{{else}}{{b}}{{/if}}"), [
    ...["a tested", "b printed always", "c printed"],
  ]);
  assert.deepEqual(readsIn("{{#if a}}{{b}}{{else if c}}{{b}}{{/if}}"), [
    ...["a tested", "b printed", "c tested"],
  ]);
  assert.deepEqual(readsIn("{{#with a}}{{b}}{{else}}{{a.b}}{{/with}}"), [
    ...["a tested", "a.b printed"],
  ]);
  assert.deepEqual(readsIn('{{default a "x"}}{{or b c}}{{#if d}}{{d}}{{/if}}'), [
    ...["a printed", "b printed", "c printed", "d tested+printed"],
  ]);
});

test("templateReads() joins parts: a value that one of them always prints is always printed", () => {
  const [read] = templateReads({ subject: "{{n}}", html: "{{#if x}}{{n}}{{/if}}" });
  assert.deepEqual(read, { path: "n", uses: ["printed"], always: true });
});

test("templateReads() reads the parameters of a partial, which is no call", () => {
  assert.deepEqual(readsIn("{{> box a b=c}}{{d}}"), ["a tested", "c tested", "d printed always"]);
});
