import assert from "node:assert/strict";
import { test } from "node:test";
import { deriveText } from "./_derive_text.ts";

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
