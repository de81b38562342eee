import assert from "node:assert/strict";
import { test } from "node:test";
import { findJsonFault } from "./_json_fault.ts";

test("findJsonFault() finds nothing in a text that JSON.parse accepts", () => {
  const texts = [
    "0",
    "-1.5e+10",
    ' {"a" : [ ] , "b":{}, "c":[1,"x",true,false,null,{"d":[[]]}]}\r\n\t',
    '"\\u00e4\\n\\"\\\\ \u{7f}\u{2028}😀"',
  ];
  for (const text of texts) {
    JSON.parse(text);
    assert.equal(findJsonFault(text), undefined, text);
  }
});

test("findJsonFault() finds the place of the first fault", () => {
  const places: [string, number, number][] = [
    ["", 1, 1],
    ["{", 1, 2],
    ['{"a":x}', 1, 6],
    ['{"a":1,}', 1, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ["[1 2]", 1, 4],
    ["[1}", 1, 3],
    ["[,1]", 1, 2],
    ['{"a" 1}', 1, 6],
    ["{1:2}", 1, 2],
    ['{"a":1}}', 1, 8],
    ["01", 1, 2],
    ['["\\x"]', 1, 2],
    ['["a\nb"]', 1, 2],
    ["'a'", 1, 1],
    [":", 1, 1],
    ["[1]]", 1, 4],
    ["\u{feff}1", 1, 1],
  ];
  for (const [text, line, column] of places) {
    assert.throws(() => JSON.parse(text), text);
    assert.deepEqual(findJsonFault(text), { line, column }, text);
  }
});
