import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_FAULTS, readJson } from "./json_document.ts";
import { readBundle } from "./read_bundle.ts";

test("readJson() places values and faults by line and column", () => {
  const { document } = readJson('{\n  "a": [1,\n    2],\r\n "b": {}\n}');
  assert.ok(document);
  assert.deepEqual(document.placeOf(["a", 1]), { line: 3, column: 5 });
  assert.deepEqual(document.placeOf(["a", 7]), { line: 2, column: 8 });
  assert.deepEqual(document.placeOf([]), { line: 1, column: 1 });
  assert.deepEqual(document.placeOfKey([], "b"), { line: 4, column: 2 });
  for (const text of ["", " ", "1 2", "{a: 1}", "[1,]", "// no", '{"a": "\n"}', "\ufeff1", "01"]) {
    const { faults } = readJson(text);
    assert.ok(faults.length > 0 && faults.every(({ line }) => line >= 1), JSON.stringify(text));
  }
  const [fault] = readJson('{\n "a": 1,\n}').faults;
  assert.deepEqual([fault?.line, fault?.column], [3, 1]);
});

test("readJson() refuses what is nested deeper than the bodies of requests", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.ok(readJson(nested(64)).document);
  for (const depth of [65, 1_000, 100_000]) {
    assert.match(readJson(nested(depth)).faults[0]?.message ?? "", /nested too deep/);
  }
});

const NEEDED = { "email/a/subject.hbs": "x", "email/a/body.html.hbs": "x" };

test("readBundle() lists the first faults of malicious settings, in time proportional to their length", () => {
  const keys = Array.from({ length: 12_000 }, (_, at) => `"k${at}": 1`).join(",\n");
  const malicious = [
    ",\n".repeat(120_000),
    "]".repeat(250_000),
    `{${keys}}`,
    `{"name": "x", "variables": [${Array(80_000).fill("1").join(",\n")}]}`,
    "[".repeat(250_000),
  ];
  for (const json of malicious) {
    const { faults } = readBundle({ ...NEEDED, "email/a/template.json": json });
    assert.ok(faults.length > 0 && faults.length <= MAX_FAULTS, `${faults.length} faults`);
  }
  const brand = readBundle({ "brand.json": ",\n".repeat(50_000) });
  assert.ok(brand.faults.length <= MAX_FAULTS);
});

test("readBundle() does not parse a file that is too large", () => {
  const large = " ".repeat(3_000_000);
  const files = { ...NEEDED, "email/a/template.json": large, "email/a/sample.json": large };
  const messages = readBundle({ ...files, "brand.json": large }).faults.map(({ message }) =>
    message
  );
  assert.equal(messages.length, 3, messages.join());
  for (const message of messages) assert.match(message, /^is larger than|^has more than/);
});
