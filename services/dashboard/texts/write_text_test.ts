import assert from "node:assert/strict";
import { test } from "node:test";
import { EXAMPLES } from "../templates/examples.ts";
import { textRanges } from "./text_ranges.ts";
import { plainTokens, type TextToken, textTokens } from "./text_tokens.ts";
import { writeText } from "./write_text.ts";

type Written = Pick<TextToken, "type" | "key">;

function characters(text: string): Written[] {
  return [...text].map((key) => ({ type: "character", key }));
}

test("writeText() returns an unchanged text of every example as it was written", () => {
  for (const { source: { html = "", subject = "" } } of [...EXAMPLES.email, ...EXAMPLES.pdf]) {
    for (const { start, end } of textRanges(html)) {
      const text = html.slice(start, end);
      const tokens = textTokens(text);
      assert.equal(tokens.map(({ raw }) => raw).join(""), text);
      assert.equal(writeText(tokens, tokens.map(({ type, key }) => ({ type, key }))), text);
    }
    const tokens = plainTokens(subject);
    assert.equal(writeText(tokens, tokens, { isPlain: true }), subject);
  }
});

test("writeText() changes only what a person changed", () => {
  const before = textTokens("Dear&nbsp;{{ name }},\n    <b>thank\n you</b><br />\n  &copy; Acme");
  const after: Written[] = before.map(({ type, key }) => ({ type, key }));
  const at = after.findIndex(({ key }) => key === "t");
  after.splice(at, "thank".length, ...characters("many thanks"));
  assert.equal(
    writeText(before, after),
    "Dear&nbsp;{{ name }},\n    <b>many thanks\n you</b><br />\n  &copy; Acme",
  );
});

test("writeText() writes every character as itself", () => {
  const before = textTokens("{{ a }}");
  const after = [
    ...characters("1 < 2 & {{x}} \\"),
    ...before,
    ...characters("} \\ é漢😀\u00a0.\\"),
  ];
  assert.equal(
    writeText(before, after),
    "1 &lt; 2 &amp; &#123;&#123;x&#125;&#125; &#92;{{ a }}&#125; \\ é漢😀&nbsp;.&#92;",
  );
  assert.equal(
    writeText(before, [...characters("A & B "), ...before], { isPlain: true }),
    "A & B {{ a }}",
  );
});

test("writeText() writes line breaks as the text has them, and leaves out spaces at the ends", () => {
  const lineBreak: Written = { type: "break", key: "<br>" };
  assert.equal(
    writeText(textTokens("a"), [...characters(" a"), lineBreak, ...characters("b ")]),
    "a<br>b",
  );
  const before = textTokens("a<br/>\n b");
  const after = [...characters("a"), lineBreak, ...characters("c"), lineBreak, ...characters("b")];
  assert.equal(writeText(before, after), "a<br/>\n c<br/>b");
});

test("writeText() writes line breaks of a plain text as it has them, and keeps its spaces", () => {
  const lineBreak: Written = { type: "break", key: "<br>" };
  const before = plainTokens("a {{ x }}\r\n  b & <i>");
  const [a, ...rest] = before.map(({ type, key }): Written => ({ type, key }));
  assert.ok(a !== undefined);
  assert.equal(
    writeText(before, [a, lineBreak, ...characters("1 < 2"), lineBreak, ...rest], {
      isPlain: true,
    }),
    "a\r\n1 < 2\r\n {{ x }}\r\n  b & <i>",
  );
  const line = [...characters("a"), lineBreak, ...characters("b ")];
  assert.equal(writeText(plainTokens("a"), line, { isPlain: true }), "a\nb ");
});
