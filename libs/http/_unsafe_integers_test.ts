import assert from "node:assert/strict";
import { test } from "node:test";
import { findUnsafeIntegers } from "./_unsafe_integers.ts";

test("findUnsafeIntegers() finds integers beyond ±(2^53-1), with their paths", () => {
  const texts: [string, string[]][] = [
    ["9007199254740993", [""]],
    ["[9007199254740991,-9007199254740991,9007199254740992,-9007199254740992]", ["2", "3"]],
    [
      '{"a":{"b\\n":[0, {} ,-12345678901234567890 ]},"c":100000000000000000000,"d":true}',
      ["a.b\n.2", "c"],
    ],
  ];
  for (const [text, paths] of texts) {
    JSON.parse(text);
    assert.deepEqual(findUnsafeIntegers(text).map(({ path }) => path), paths, text);
  }
});

test("findUnsafeIntegers() ignores fractions, exponents, texts and infinite numbers", () => {
  const texts = [
    "0.12345678901234567",
    "[1234567890123456.7,12345678901234567890.5,1e300,12345678901234567E2,-0]",
    '{"12345678901234567890":"12345678901234567890"}',
    `-1${"0".repeat(400)}`,
  ];
  for (const text of texts) {
    JSON.parse(text);
    assert.deepEqual(findUnsafeIntegers(text), [], text);
  }
});

test("findUnsafeIntegers() stops at ten", () => {
  assert.equal(findUnsafeIntegers(`[${Array(50).fill("99999999999999999").join(",")}]`).length, 10);
});
