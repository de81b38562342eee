import assert from "node:assert/strict";
import { test } from "node:test";
import { allowedValues } from "./allowed_values.ts";

test("allowedValues() has the tags of a template, and those that print names it reads", () => {
  const source =
    '{{ date due "long" }}{{{ html }}}{{#each lines}}{{ a.b }}{{/each}}{{> part }}{{ "text" }}';
  const values = allowedValues([source, "{{ number }}"]);
  for (
    const tag of ['{{ date due "long" }}', "{{ due }}", "{{ a.b }}", "{{ lines }}", "{{ number }}"]
  ) {
    assert.ok(values.has(tag), tag);
  }
  for (const tag of ["{{{ html }}}", "{{> part }}", "{{ part }}", "{{ long }}", "{{ text }}"]) {
    assert.ok(!values.has(tag), tag);
  }
});
