import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { jsonLimitsOf, MAX_DEPTH, MAX_FIELDS, MAX_NAMES, measureJson } from "./measure_json.ts";

const LIMITS = { maxValues: 100, maxFields: 50 };

function measure(text: string, limits = LIMITS) {
  return measureJson(Buffer.from(text), limits);
}

test("measureJson() counts the fields of all objects, and nothing inside of strings", () => {
  const texts: [string, number][] = [
    ["1", 0],
    ["{}", 0],
    ['{"a":{"b":[{"c":1,"d":2}]}}', 4],
    ['{"a:b":":","\\":":"{\\\\","c":"\\""}', 3],
    ['["a:1,b:2"]', 0],
  ];
  for (const [text, fields] of texts) {
    JSON.parse(text);
    const nothing = { hasSurrogates: false, hasUnsafeIntegers: false, excess: undefined };
    assert.deepEqual(measure(text), { fields, ...nothing }, text);
  }
});

test("measureJson() stops at too much depth, too many values, and too many fields", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(measure(nested(MAX_DEPTH)).excess, undefined);
  assert.match(String(measure(nested(MAX_DEPTH + 1)).excess), /deeper than 64/);
  assert.equal(measure(`[${Array(99).fill(1).join(",")}]`).excess, undefined);
  assert.match(String(measure(`[${Array(101).fill(1).join(",")}]`).excess), /more than 100 fields/);
  const object = (count: number) => `{${Array(count).fill('"a":1').join(",")}}`;
  assert.equal(measure(object(50)).excess, undefined);
  assert.match(String(measure(object(51)).excess), /more than 50 fields/);
  const large = jsonLimitsOf(5_000_000);
  assert.deepEqual(large, { maxValues: 250_000, maxFields: 100_000 });
  assert.equal(measure(`[${object(MAX_FIELDS)},${object(MAX_FIELDS)}]`, large).excess, undefined);
  assert.match(String(measure(object(MAX_FIELDS + 1), large).excess), /more than 10000 fields/);
});

test("measureJson() stops at too many different names, and accepts a thousand invoices", () => {
  const large = jsonLimitsOf(5_000_000);
  const named = (name: (n: number) => string) => (count: number) =>
    `[${Array.from({ length: count }, (_, n) => `{"${name(n)}":1}`).join(",")}]`;
  const different = named((n) => `k${n}`);
  // A few names may collide, but not many, whatever seed a process has.
  const tooMany = Buffer.from(different(MAX_NAMES * 1.2));
  for (const seed of [0, 1, 2 ** 31, ...Array.from({ length: 50 }, () => randomInt(2 ** 32))]) {
    const { excess } = measureJson(tooMany, large, seed);
    assert.match(String(excess), /30000 different field names/, `with seed ${seed}`);
  }
  assert.equal(measure(different(MAX_NAMES), large).excess, undefined);
  const escaped = named((n) => `\\u${(0x1000 + n).toString(16)}`);
  assert.match(String(measure(escaped(MAX_NAMES * 1.2), large).excess), /different field names/);
  const invoice = `{${Array.from({ length: 99 }, (_, n) => `"field${n}":"value"`).join(",")}}`;
  assert.equal(measure(`[${Array(1000).fill(invoice).join(",")}]`, large).excess, undefined);
});

test("measureJson() reports escapes that may be halves of characters", () => {
  assert.equal(measure('"\\ud800"').hasSurrogates, true);
  assert.equal(measure('"\\uDFFF"').hasSurrogates, true);
  assert.equal(measure('"\\\\ud800 \\u00d8"').hasSurrogates, false);
});

test("measureJson() reports integers beyond ±(2^53-1), and no fractions or exponents", () => {
  const sees = (text: string) => measure(text).hasUnsafeIntegers;
  for (const text of ["9007199254740992", "[-9007199254740992]", `{"a":1${"0".repeat(20)}}`]) {
    assert.equal(sees(text), true, text);
  }
  const others = [
    "9007199254740991",
    "[-9007199254740991,1]",
    "[12345678901234567.5,0.12345678901234567,12345678901234567e2,1e300]",
    '{"12345678901234567":"12345678901234567"}',
  ];
  for (const text of others) assert.equal(sees(text), false, text);
});

test("measureJson() ends on any text that is not JSON", () => {
  for (const text of ["", '"', '"\\', "]]]}}}", "{[}]:::,,,", '"\\u', "\u{0}"]) measure(text);
});
