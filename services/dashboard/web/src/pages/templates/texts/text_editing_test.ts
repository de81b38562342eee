import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changeOfText,
  faultOf,
  hasSameNumbers,
  isAtTop,
  sourceOfText,
  SUBJECT,
  tokensOf,
  wordsOf,
} from "./text_editing.ts";

const SOURCE = {
  subject: "Invoice {{ number }}",
  html: "<p>Hello {{ name }},</p>{{#each lines}}<p>{{ name }}</p>{{/each}}<p>Bye</p>",
  text: "Hello {{ name }},\n\n{{#each lines}}\n- {{ name }}\n{{/each}}\n\nBye {{> footer}}",
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

test("changeOfText() changes one paragraph of the text part, and faultOf() keeps what follows it", () => {
  const target = { type: "plain", number: 2 } as const;
  assert.equal(sourceOfText(SOURCE, target), "Bye");
  const written = "Bye,\nAda & <Co>";
  assert.deepEqual(changeOfText(SOURCE, target, written), {
    text: SOURCE.text.replace("Bye", written),
  });
  assert.deepEqual(changeOfText(SOURCE, { type: "plain", number: 9 }, "Hi"), {});
  assert.equal(faultOf(written, target, { before: "Bye" }), null);
  for (
    const forged of ["{{ x }}", "Bye {", "Bye \\", "{{#if a}}b{{/if}}", "a \ufdda\ufdd0\ufddc"]
  ) {
    assert.notEqual(faultOf(forged, target, { before: "Bye" }), null, forged);
  }
});

test("isAtTop() knows whether names mean variables of the template", () => {
  for (const type of ["text", "plain"] as const) {
    const isTop = [0, 1, 2].map((number) => isAtTop(SOURCE, { type, number }));
    assert.deepEqual(isTop, [true, false, true]);
  }
});

test("hasSameNumbers() compares the texts and images of two sources", () => {
  const { html, text } = SOURCE;
  const isSame = (change: object) => hasSameNumbers(SOURCE, { ...SOURCE, ...change });
  assert.equal(
    isSame({ html: html.replace("Bye", "See you"), text: text.replace("Bye", "x") }),
    true,
  );
  assert.equal(isSame({ html: html.replace("Bye", "") }), false);
  assert.equal(isSame({ html: `${html}<img src="a">` }), false);
  assert.equal(isSame({ text: text.replace("Bye", "") }), false);
});

test("wordsOf() has the names of values, or what the preview shows for them", () => {
  const target = { type: "text", number: 0 } as const;
  const text = 'Hello <b>{{ name }}</b>,<br>\n on {{ date day "long" }}';
  assert.equal(wordsOf(text, target), "Hello name, on day");
  assert.equal(wordsOf(text, target, ["Ada"]), "Hello Ada, on day");
});
