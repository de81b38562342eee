import assert from "node:assert/strict";
import { test } from "node:test";
import { hiddenTexts } from "./hidden_texts.ts";

test("hiddenTexts() names texts that a preview does not show, and the conditions around them", () => {
  const html = '<div style="display:none">In short, {{ name }}</div><p>Hi</p>' +
    "{{#if vip}}{{#unless paid}}<p>Pay <b>{{ currency sum }}</b><br>now</p>{{else}}<p>Paid</p>{{/unless}}" +
    "{{else if new}}<p>Welcome</p>{{else}}<p>Bye</p>{{/if}}" +
    "{{#each lines}}<p>{{ this }}</p>{{else}}<p>None</p>{{/each}}{{^a}}<p>No a</p>{{/a}}";
  const found = hiddenTexts({ html, subject: "", text: "" }, "text", new Set([1]));
  assert.deepEqual(found.map(({ target, label, within }) => [target.number, label, ...within]), [
    [0, "In short, name"],
    [2, "Pay sum now", "if vip", "unless paid"],
    [3, "Paid", "if vip", "if paid"],
    [4, "Welcome", "if new"],
    [5, "Bye", "unless new"],
    [6, "this", "each lines"],
    [7, "None", "empty lines"],
    [8, "No a", "unless a"],
  ]);
});

test("hiddenTexts() finds those of the text part, and none if all are shown", () => {
  const bodies = { html: "<p>x</p>", subject: "", text: "Hi\n\n{{#if a}}\nA\n{{/if}}" };
  const target = { type: "plain", number: 1 };
  const found = hiddenTexts(bodies, "plain", new Set([0]));
  assert.deepEqual(found, [{ target, label: "A", within: ["if a"] }]);
  assert.deepEqual(hiddenTexts(bodies, "plain", new Set([0, 1])), []);
  assert.deepEqual(hiddenTexts({ ...bodies, html: "{{" }, "text", new Set()), []);
});
