import assert from "node:assert/strict";
import { test } from "node:test";
import { markPlainText, markSource } from "./mark_source.ts";
import { readImageMark, readMarks, WHOLE } from "./read_marks.ts";

test("readMarks() finds texts, and what was printed for their values", () => {
  const source = "<p>Hi {{ a }}, {{ b }}</p><ul>{{#each l}}<li>{{ this }}!</li>{{/each}}</ul>";
  const rendered = markSource(source).replace("{{ a }}", "Ada").replace("{{ b }}", "")
    .replace(
      /\{\{#each l\}\}(.*)\{\{\/each\}\}/,
      (_, item: string) => item.replace("{{ this }}", "one") + item.replace("{{ this }}", "two"),
    ).replace(/<[^>]*>/g, "");
  const { text, texts, values } = readMarks(rendered);
  assert.equal(text, "Hi Ada, one!two!");
  assert.deepEqual(texts.map(({ number, start, end }) => [number, text.slice(start, end)]), [
    [0, "Hi Ada, "],
    [1, "one!"],
    [1, "two!"],
  ]);
  assert.deepEqual([...values], [[0, ["Ada", ""]], [1, ["one"]]]);
});

test("readMarks() finds the values of a subject", () => {
  const marked = markPlainText("Invoice {{ number }} of {{ firm }}");
  const { text, values } = readMarks(
    marked.replace("{{ number }}", "42").replace("{{ firm }}", "A  B"),
  );
  assert.equal(text, "Invoice 42 of A  B");
  assert.deepEqual(values.get(WHOLE), ["42", "A B"]);
});

test("readMarks() finds whose texts those of partials are, without their values", () => {
  const { text, texts, values } = readMarks(
    "\ufde1\ufdd2\ufddcA \ufddb\ufdd0\ufddcB\ufdde\ufddd c",
  );
  assert.equal(text, "A B c");
  assert.deepEqual(texts, [{ type: "partial", number: 2, start: 0, end: 3 }]);
  assert.equal(values.size, 0);
});

test("readMarks() takes a text without signs as it is, and ignores stray ones", () => {
  assert.deepEqual(readMarks("Hi"), { text: "Hi", texts: [], values: new Map() });
  assert.equal(readMarks("\ufddda\ufddeb").text, "ab");
});

test("readImageMark() returns the number of an image", () => {
  assert.equal(
    readImageMark(/alt="(.*?)"/.exec(markSource(`<img src="a" alt="Logo">`))?.[1] ?? ""),
    0,
  );
  assert.equal(readImageMark("Logo"), null);
});
