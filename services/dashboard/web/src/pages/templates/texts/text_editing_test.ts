import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changeOfText,
  hasSameNumbers,
  isAtTop,
  sourceOfText,
  SUBJECT,
  tokensOf,
} from "./text_editing.ts";

const SOURCE = {
  subject: "Invoice {{ number }}",
  html: "<p>Hello {{ name }},</p>{{#each lines}}<p>{{ name }}</p>{{/each}}<p>Bye</p>",
};

test("changeOfText() changes one text of the source", () => {
  const target = { type: "text", number: 0 } as const;
  assert.equal(sourceOfText(SOURCE, target), "Hello {{ name }},");
  assert.deepEqual(changeOfText(SOURCE, target, "Hi"), {
    html: SOURCE.html.replace("Hello {{ name }},", "Hi"),
  });
  assert.deepEqual(changeOfText(SOURCE, { type: "text", number: 9 }, "Hi"), {});
  assert.equal(sourceOfText(SOURCE, SUBJECT), "Invoice {{ number }}");
  assert.deepEqual(changeOfText(SOURCE, SUBJECT, "Hi"), { subject: "Hi" });
  assert.equal(tokensOf("<b>", SUBJECT).length, 3);
});

test("isAtTop() knows whether names mean variables of the template", () => {
  const isTop = [0, 1, 2].map((number) => isAtTop(SOURCE.html, { type: "text", number }));
  assert.deepEqual(isTop, [true, false, true]);
});

test("hasSameNumbers() compares the texts and images of two sources", () => {
  assert.equal(hasSameNumbers(SOURCE.html, SOURCE.html.replace("Bye", "See you")), true);
  assert.equal(hasSameNumbers(SOURCE.html, SOURCE.html.replace("Bye", "")), false);
  assert.equal(hasSameNumbers(SOURCE.html, `${SOURCE.html}<img src="a">`), false);
});
