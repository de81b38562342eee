import assert from "node:assert/strict";
import { test } from "node:test";
import { EXAMPLES } from "../templates/examples.ts";
import { textRanges } from "./text_ranges.ts";

function textsOf(source: string): string[] {
  return textRanges(source).map(({ start, end }) => source.slice(start, end));
}

test("textRanges() finds texts with their values, elements and conditions", () => {
  const cases: [string, string[]][] = [
    ["<p>\n  Hello {{ name }},\n</p>", ["Hello {{ name }},"]],
    ["<p>Pay <b>{{ sum }}</b><br>by <a href='{{ url }}'>card</a></p><p>Bye</p>", [
      "Pay <b>{{ sum }}</b><br>by <a href='{{ url }}'>card</a>",
      "Bye",
    ]],
    ["<p>Yours{{#if firm}}, {{ firm }}{{else}} &copy;{{/if}}.</p>", [
      "Yours{{#if firm}}, {{ firm }}{{else}} &copy;{{/if}}.",
    ]],
    ["<ul>{{#each lines}}<li>{{ this }} <i>x</i></li>{{/each}}</ul>", ["{{ this }} <i>x</i>"]],
    ["<p><b>One<p>Two</b></p>", ["One", "Two"]],
    ["<p>a <b>b</p><p>c</b> d {{#if x}}</p>e{{/if}}", ["a", "b", "c", "d", "e"]],
    ["<p>a > b <!-- no --> c {{> footer }} d {{!-- no --}} e</p>", ["a > b", "c", "d", "e"]],
    ["<td>&nbsp;</td><td> </td><td>{{{ rows }}}</td><td>{{{ html }}} yes</td>", [
      "{{{ html }}} yes",
    ]],
    ["<table>{{ rows }}<tr>{{ cells }}<td>x</td>{{ cells }}</tr></table>{{ y }}", ["x", "{{ y }}"]],
    [`<a title="1 > {{ "</a>" }}">{{ eq "<b>" x }}</a>`, [
      `<a title="1 > {{ "</a>" }}">{{ eq "<b>" x }}</a>`,
    ]],
    ["<p>Dear\r\nAda 😀</p>\r\n<p>漢</p>", ["Dear\r\nAda 😀", "漢"]],
    ["plain {{ text }}", ["plain {{ text }}"]],
    ["<p>\ufdda</p>", []],
    ["<p", []],
    ["", []],
  ];
  for (const [source, texts] of cases) assert.deepEqual(textsOf(source), texts, source);
});

test("textRanges() leaves out what no reader sees, or what spaces change", () => {
  const source = "<head><title>no</title><style>p{}</style></head><body>yes<script>no()</script>" +
    "<pre>no\n  no</pre><svg><text>no</text></svg><textarea>no</textarea></body>";
  assert.deepEqual(textsOf(source), ["yes"]);
});

test("textRanges() finds texts of MJML in its elements for text only", () => {
  const source = `<mjml><mj-head><mj-title>no</mj-title><mj-preview>Inbox</mj-preview>
    <mj-style>.a { color: red }</mj-style></mj-head><mj-body><mj-section><mj-column>no
    <mj-image src="a.png" /><mj-text>Hello <br />{{ name }}</mj-text><mj-spacer />
    <mj-table><tr><td>Cell</td></tr></mj-table><mj-button href="{{ url }}">Go</mj-button>
    </mj-column></mj-section></mj-body></mjml>`;
  assert.deepEqual(textsOf(source), ["Inbox", "Hello <br />{{ name }}", "Cell", "Go"]);
});

test("textRanges() finds the texts of every example", () => {
  for (const { id, source: { html = "" } } of [...EXAMPLES.email, ...EXAMPLES.pdf]) {
    if (id !== "empty") assert.ok(textRanges(html).length > 2, id);
  }
});

test("textRanges() takes time proportional to the length of malicious sources", () => {
  const pieces = [
    "<b>",
    "</b>",
    "<b><i></b>",
    "{{#if a}}",
    "{{/if}}",
    "<",
    "&",
    "<a b",
    "{{",
    "{{!-- ",
    "x{{a}}",
  ];
  for (const piece of pieces) {
    assert.ok(textRanges(piece.repeat(500_000 / piece.length)).length <= 500_000);
  }
});
