import assert from "node:assert/strict";
import { test } from "node:test";
import { archiveLimitFault } from "./archive_limits.ts";

/** Returns a PDF as Chromium writes it, with one object more. */
function pdfWith(object: string): Buffer {
  const objects = ["<</Title (t)>>", "<</Type /Catalog>>", object];
  let text = "%PDF-1.4\n";
  const places = objects.map((body, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const table = text.length;
  text += `xref\n0 4\n0000000000 65535 f \n${places.join("")}`;
  text += `trailer\n<</Size 4\n/Root 2 0 R\n/Info 1 0 R>>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

const CASES: readonly [what: string, object: string, fault: RegExp | undefined][] = [
  ["a string at the limit", `<</URI (${"x".repeat(32_767)})>>`, undefined],
  ["a string over it", `<</URI (${"x".repeat(32_768)})>>`, /address of a link/],
  ["escapes, which are one byte each", `<</A (${"\\(\\050".repeat(16_383)})>>`, undefined],
  ["more escapes", `<</A (${"\\(\\050".repeat(16_384)})>>`, /address of a link/],
  ["digits at the limit", `<</A <${"00".repeat(32_767)}>>>`, undefined],
  ["digits over it", `<</A <${"00".repeat(32_768)}>>>`, /title/],
  ["a name at the limit", `<</Dest /${"n".repeat(124)}#20#20#20>>`, undefined],
  ["a name over it", `<</Dest /${"n".repeat(125)}#20#20#20>>`, /127 bytes/],
  [
    "a long name after a string with the words endobj and stream",
    `<</A (a stream (endobj))/B /${"n".repeat(128)}>>`,
    /127 bytes/,
  ],
  ["a slash and text in a string", `<</URI (http://a/${"n".repeat(300)})>>`, undefined],
  ["the bytes of a stream", `<</Length 300>> stream\n/${"n".repeat(299)}\nendstream`, undefined],
];

for (const [what, object, fault] of CASES) {
  test(`archiveLimitFault() reads ${what}`, () => {
    const found = archiveLimitFault(pdfWith(object));
    if (fault === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", fault);
  });
}
