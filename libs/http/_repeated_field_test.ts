import assert from "node:assert/strict";
import { test } from "node:test";
import { findRepeatedField } from "./_repeated_field.ts";

test("findRepeatedField() finds the first duplicate field, however it is written", () => {
  const texts: [string, (string | number)[]][] = [
    ['{"a":1,"a":1}', ["a"]],
    ['[0,{"x":{"a":[],"b":{},"\\u0061":2}}]', [1, "x", "a"]],
    ['{"a":{"b":1},"c":[[1,2],{"a":1,"":2,"":3}]}', ["c", 1, ""]],
    [' { "\\"" : "x" , "\\u0022" : [ ] } ', ['"']],
  ];
  for (const [text, path] of texts) {
    JSON.parse(text);
    assert.deepEqual(findRepeatedField(text), path, text);
  }
});

test("findRepeatedField() finds none if names repeat in different objects, or as values", () => {
  const texts = ["1", '"a"', '{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":1}]}', '["a","a"]'];
  for (const text of texts) assert.equal(findRepeatedField(text), undefined, text);
});
