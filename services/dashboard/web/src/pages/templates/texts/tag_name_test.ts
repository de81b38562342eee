import assert from "node:assert/strict";
import { test } from "node:test";
import { describeTag, nameOf } from "./tag_name.ts";

test("nameOf() names what a tag prints", () => {
  const cases = [["{{ a.b }}", "a.b"], ['{{ date dueAt "long" }}', "dueAt"], [
    "{{{ html }}}",
    "html",
  ], [
    "{{ currency (multiply quantity price) }}",
    "multiply",
  ], ["{{~ name ~}}", "name"]] as const;
  for (const [source, name] of cases) assert.equal(nameOf(source), name);
});

test("describeTag() says what a tag of a block does", () => {
  const cases = [
    ["{{#if (eq a 1)}}", "if (eq a 1)"],
    ["{{~^paid~}}", "paid"],
    ["{{else}}", "else"],
    [
      "{{else if b}}",
      "else if b",
    ],
    ["{{^}}", "else"],
    ["{{/if}}", "end"],
  ] as const;
  for (const [source, said] of cases) assert.equal(describeTag(source), said);
});
