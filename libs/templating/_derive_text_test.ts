import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "./_compile_template.ts";
import { deriveText } from "./_derive_text.ts";
import { plainData } from "./_plain_data.ts";

const FILLER = "&#847; &zwnj; &nbsp; &#8199; &shy; ".repeat(30);

test("deriveText() removes every kind of hidden text, and keeps text that only looks hidden", async () => {
  const hidden = [
    "display:none",
    "visibility : hidden",
    "font-size:0",
    "FONT-SIZE: 0px !important; line-height: 0",
    "font: 0/0 a",
    "max-height:0;overflow:hidden",
    "max-height:0px;mso-hide:all",
    "opacity:0",
  ];
  for (const style of hidden) {
    const text = await deriveText(`<div style="${style}">no</div><p>yes</p>`);
    assert.equal(text, "yes", style);
  }
  const shown = [
    "font-size:0.9em",
    "opacity:0.8",
    "max-height:0.5em;overflow:hidden",
    "mso-hide:all",
  ];
  for (const style of [...shown, "font: 600 14px/1.5 Arial", "{{#if a}}display:none{{/if}}"]) {
    assert.equal(await deriveText(`<div style="${style}">yes</div>`), "yes", style);
  }
  const inside =
    '<td style="font-size:0"> <a href="x:1">no</a><p style="font-size:14px">yes</p></td>';
  assert.equal(await deriveText(`<table><tr>${inside}</tr></table>`), "yes");
  assert.equal(await deriveText("<p hidden>no</p><p aria-hidden=true>no</p>yes"), "yes");
});

test("deriveText() removes invisible filler, and keeps the characters that words need", async () => {
  assert.equal(await deriveText(`<p>Hello${FILLER}</p><p>there</p>`), "Hello\n\nthere");
  assert.equal(await deriveText("a&nbsp;&nbsp;&nbsp; &nbsp;b&nbsp;c"), "a b\u00a0c");
  const words = "می\u200cخواهم 👩\u200d💻 क्\u200d ष";
  assert.equal(await deriveText(`<p>${words}</p>`), words);
});

test("deriveText() keeps both ends of a block if only one of them is hidden", async () => {
  const html = '<p style="display:none">{{#if a}}x{{y}}</p>yes{{else}}no{{/if}}' +
    '<i style="display:none">{{#each l}}z{{/each}}</i>';
  assert.equal((await deriveText(html)).replaceAll(/\s/g, ""), "{{#ifa}}yes{{else}}no{{/if}}");
});

test("deriveText() keeps braces and backslashes that a reader of the HTML sees as signs", async () => {
  const data = plainData({ name: "Ada", secret: "no", brace: "{" });
  const shown: Record<string, string> = {
    "&#123;&#123;secret&#125;&#125;": "{{secret}}",
    "{&#123;secret}}": "{{secret}}",
    "<b>{</b>{secret}}": "{{secret}}",
    "{<b></b>{{name}}": "{Ada",
    "&#123;&#123;&#123;secret}}} {{name}}": "{{{secret}}} Ada",
    "&lbrace;&lbrace;&lbrace;&lbrace;secret}}}}": "{{{{secret}}}}",
    "&#123;&#123;{{name}}&#125;&#125;": "{{Ada}}",
    "{{{name}}}&#125;{{name}}<b>}</b>": "Ada}Ada}",
    "&#123;&#123;#if secret}}{{name}}": "{{#if secret}}Ada",
    "&#123;&#123;": "{{",
    "&#92;{{name}}": "\\Ada",
    "&#92;&#92;{{name}}": "\\\\Ada",
    "\\&#123;&#123;secret}}": "\\{{secret}}",
    "\\\\&#123;&#123;secret}}": "\\\\{{secret}}",
    "&#92;&#123;{{name}}": "\\{Ada",
    '<img alt="&#123;&#123;secret}}">': "{{secret}}",
    '<a href="x:&#123;&#123;secret}}">a</a>': "a [x:{{secret}}]",
    "{ {{name}} } \\ {a}": "{ Ada } \\ {a}",
    "&#92;\\{{name}}{{name}}": "\\{{name}}Ada",
    "\\\\{{name}} \\{{name}}": "\\Ada {{name}}",
    "{&#123;}&#125;": "{{}}",
    "{{brace}}&#123;secret}}": "{{secret}}",
  };
  for (const [html, text] of Object.entries(shown)) {
    const source = await deriveText(`<p>${html}</p>`);
    assert.equal(compileTemplate(source, { escape: "none" })(data), text, `${html}: ${source}`);
  }
});

test("deriveText() never takes a text for a placeholder that is elsewhere", async () => {
  const words = "p&#104;x0z p<b>h</b>x0z p&#104;x0x0z";
  assert.equal(
    await deriveText(`<p style="{{#if a}}x{{/if}}">${words}</p>`),
    "phx0z phx0z phx0x0z",
  );
});
