import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonText } from "./json_text.ts";

test("jsonText() writes what fits on a line on one, and the rest over several", () => {
  const value = { a: [1, { b: "x\n  y" }], c: { d: ["long".repeat(6)], e: [], f: {} } };
  const lines = [
    "{",
    '  "a": [ 1, { "b": "x\\n  y" } ],',
    '  "c": {',
    '    "d": [',
    `      "${"long".repeat(6)}"`,
    "    ],",
    '    "e": [],',
    '    "f": {}',
    "  }",
    "}",
    "",
  ];
  assert.equal(jsonText(value, { width: 32 }), lines.join("\n"));
  assert.deepEqual(JSON.parse(jsonText(value)), value);
});
