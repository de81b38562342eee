import assert from "node:assert/strict";
import { test } from "node:test";
import { scanObject } from "./scan_object.ts";

function stringsOf(object: string): string[] {
  const { strings } = scanObject(Buffer.from(`${object}endobj`, "latin1"), 0);
  return strings.map(({ bytes }) => bytes.toString("latin1"));
}

const CASES: [string, string, string[]][] = [
  ["parentheses in pairs and escaped", String.raw`<</T (a(b)c\)\() /U (x)>>`, ["a(b)c)(", "x"]],
  ["escapes", String.raw`[(\n\r\t\b\f\\\q\101\0012\53)]`, ["\n\r\t\b\f\\qA\x012+"]],
  ["ends of lines", "[(a\\\nb\\\r\nc\r\nd\re)]", ["abc\nd\ne"]],
  ["hexadecimal strings", "<</T <fe ff\n004>/D <<>> >>", ["\xfe\xff\0\x40"]],
  ["words of PDF in strings and names", "<</endobj /stream /T (endobj stream >>)>>", [
    "endobj stream >>",
  ]],
  ["none", " 12 ", []],
];

for (const [what, object, strings] of CASES) {
  test(`scanObject() reads ${what}`, () => assert.deepEqual(stringsOf(object), strings));
}

test("scanObject() finds the bytes of a stream, and the length of its own dictionary", () => {
  const object = Buffer.from("<</P <</Length 1>> /Length 12 0 R /N (a)>> stream\r\nendobj (");
  const { end, stream } = scanObject(object, 0);
  assert.equal(object.toString("latin1", end), "endobj (");
  assert.equal(stream?.lengthAt.value, "12 0 R");
  assert.equal(
    object.toString("latin1", stream?.lengthAt.from, stream?.lengthAt.to),
    "12 0 R",
  );
});

test("scanObject() refuses what does not end, and streams of objects", () => {
  for (
    const object of ["<</A 1", "(a", "(a\\", "<12", "<<>> stream\n", "<</Type /ObjStm /Length 1>> "]
  ) {
    assert.throws(() => scanObject(Buffer.from(object), 0), RangeError, object);
  }
});
