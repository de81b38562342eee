import assert from "node:assert/strict";
import { test } from "node:test";
import { changedBeyondTexts } from "./changed_texts.ts";
import { plainTextFault, textFault } from "./text_fault.ts";

const BEFORE = `<p class="a">Hello {{ name }},</p>
<p>pay <b style="x">{{ sum }}</b>{{#if due}} by {{ due }}{{/if}}.<br> Bye</p><img src="a.png">`;

function change(from: string, to: string): string | null {
  assert.ok(BEFORE.includes(from), from);
  return changedBeyondTexts(BEFORE, BEFORE.replace(from, to), new Set(["{{ code }}"]));
}

test("changedBeyondTexts() accepts changes of texts", () => {
  const changes: [string, string][] = [
    ["Hello", "Good morning, dear"],
    ["Hello {{ name }},", ""],
    ["Hello {{ name }},", "{{ name }} {{ name }}"],
    ["Hello", "1 &lt; 2<br>{{ code }}"],
    ['<b style="x">{{ sum }}</b>', "{{ sum }}"],
    ["pay", '<b style="x">Please</b> pay'],
    ["Bye", "Bye }} \\ no tag"],
  ];
  for (const [from, to] of changes) assert.equal(change(from, to), null, to);
  assert.equal(changedBeyondTexts(BEFORE, BEFORE, new Set()), null);
});

test("changedBeyondTexts() refuses everything else", () => {
  const changes: [string, string][] = [
    ['class="a"', 'class="b"'],
    ["a.png", "https://example.com/a.png"],
    ["Hello", "<img src=x onerror=alert(1)>"],
    ["Hello", "<script>alert(1)</script>"],
    ["Hello", '<a href="https://evil.example">Hello</a>'],
    ["Hello", '<b onclick="x">Hello</b>'],
    ["Hello", "</p><p>Hello"],
    ["Hello", "Hello<!-- x -->"],
    ["Hello", "{{ secret }}"],
    ["Hello", "{{{ name }}}"],
    ["Hello", "{{#each all}}x{{/each}}"],
    ["Hello", "{{> other }}"],
    ["Hello", "{{"],
    ["Hello ", "Hello \\"],
    ["Hello ", "Hello {"],
    ["{{ name }},", "{{ name }}},"],
    ["{{#if due}} by {{ due }}{{/if}}", " by {{ due }}"],
    ["{{#if due}}", "{{#unless due}}"],
    ["Hello", "\ufdda1"],
    ["<br> Bye", "<br><iframe> Bye"],
    ["Bye</p>", "Bye</p>more"],
    ["Bye", "Bye <"],
  ];
  for (const [from, to] of changes) assert.notEqual(change(from, to), null, `${from} → ${to}`);
  assert.notEqual(changedBeyondTexts(BEFORE, "", new Set()), null);
  assert.notEqual(changedBeyondTexts("", BEFORE, new Set()), null);
});

test("changedBeyondTexts() refuses end tags that hold more than a name", () => {
  const tags = [
    `</b {{{default none "><a href='https://evil.example'>Pay</a><i "}}}>`,
    "</b {{ secret }}>",
    "</b {{#if x}}>",
    '</b title=">',
    "</ b>",
  ];
  for (const tag of tags) assert.equal(change("</b>", tag), `It adds the element ${tag}`);
  assert.equal(change("</b>", "</b >"), null);
  const odd = `<p><b>Hello</b {{ kept }}> you</p>`;
  assert.equal(changedBeyondTexts(odd, odd.replace("Hello", "Hi"), new Set()), null);
});

test("textFault() names what a text must not add", () => {
  assert.equal(textFault("{{ b }}", { before: "{{ a }}" }), "It adds the value {{ b }}");
  assert.equal(textFault("<i>b</i>", { before: "b" }), "It adds the element <i>");
});

test("plainTextFault() keeps conditions and placeholders whole", () => {
  const rule = { before: "Hi {{#if a}}{{ a }}{{/if}}", values: new Set(["{{ b }}"]) };
  for (const after of ["Yo {{#if a}}{{ a }} & {{ b }}{{/if}}!", rule.before]) {
    assert.equal(plainTextFault(after, rule), null, after);
  }
  for (
    const after of ["Hi {{ a }}", "{{ c }}", "{{#if a}}\\{{ a }}{{/if}}", "{{#if a}}{{/if}}}", "{{"]
  ) {
    assert.notEqual(plainTextFault(after, rule), null, after);
  }
  // What surrounds a part may be a placeholder.
  for (const after of ["Hi {", "Hi \\", "} Hi"]) {
    assert.equal(plainTextFault(after, { before: "Hi" }), null, after);
    assert.notEqual(plainTextFault(after, { before: "Hi", isPart: true }), null, after);
  }
  assert.equal(plainTextFault("Hi\n{ a } <b>", { before: "Hi", isPart: true }), null);
});
