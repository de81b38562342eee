import assert from "node:assert/strict";
import { test } from "node:test";
import { EXAMPLES } from "../../../../../templates/examples.ts";
import { textRanges } from "../../../../../texts/text_ranges.ts";
import { plainTokens, textTokens } from "../../../../../texts/text_tokens.ts";
import { writeText } from "../../../../../texts/write_text.ts";
import { documentTokens, textDocument } from "./text_model.ts";

test("a text that was in the editor is written as it was", () => {
  const texts = [
    'a <b><i>b</i></b><b>c</b><a href="x"><b>d<br/>\n e</b></a>{{#if x}} <i>{{ y }}</i>{{else}}z{{/if}}<span></span>',
    ...[...EXAMPLES.email, ...EXAMPLES.pdf].flatMap(({ source: { html = "" } }) =>
      textRanges(html).map(({ start, end }) => html.slice(start, end))
    ),
  ];
  for (const text of texts) {
    const tokens = textTokens(text);
    const written = documentTokens(textDocument(tokens, []));
    assert.deepEqual(written, tokens.map(({ type, key }) => ({ type, key })), text);
    assert.equal(writeText(tokens, written), text);
  }
  const subject = plainTokens("Invoice {{ number }}{{#if a}}!{{/if}}");
  assert.equal(
    writeText(subject, documentTokens(textDocument(subject, ["42"])), { isPlain: true }),
    "Invoice {{ number }}{{#if a}}!{{/if}}",
  );
  const plain = "Hi {{ a }},\r\n  <b> & {{#if a}}b\n{{/if}}c";
  const lines = plainTokens(plain);
  const written = documentTokens(textDocument(lines, []));
  assert.equal(writeText(lines, written, { isPlain: true }), plain);
});

test("textDocument() shows what the preview shows for values", () => {
  const document = textDocument(textTokens("{{ a }} {{ b }}"), ["Ada"]);
  assert.deepEqual(document.child(0).children.map(({ attrs }) => attrs["shown"]), [
    "Ada",
    undefined,
    "",
  ]);
});
