import assert from "node:assert/strict";
import { test } from "node:test";
import { authoredInfo } from "./pdf_author.ts";
import { PdfUpdate } from "./pdf_update.ts";

const BODY = "%PDF-1.4\n1 0 obj\n<</Creator (x)\n/ModDate (y)>>\nendobj\n";
function withAuthor(pdf: Buffer, author: string): Buffer {
  const update = new PdfUpdate(pdf);
  update.replace(update.info, authoredInfo(update, author));
  return update.finish();
}

const PDF = Buffer.from(
  `${BODY}xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \n` +
    `trailer\n<</Size 9\n/Root 8 0 R\n/Info 1 0 R>>\nstartxref\n${BODY.length}\n%%EOF`,
  "latin1",
);

test("PdfUpdate writes the information once more, and changes nothing before it", () => {
  const named = withAuthor(PDF, "Zoë )");
  assert.ok(named.subarray(0, PDF.length).equals(PDF));
  const update = named.toString("latin1", PDF.length);
  assert.match(
    update,
    /^\n1 0 obj\n<<\/Creator \(x\)\n\/ModDate \(y\)\n\/Author <feff005a006f00eb00200029>>>/,
  );
  assert.match(update, /\/Prev 54>>\nstartxref\n\d+\n%%EOF\n$/);
  const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(update)?.[1]);
  assert.match(named.toString("latin1", table), /^xref\n1 1\n\d{10} 00000 n \n/);
  const object = Number(/xref\n1 1\n(\d{10})/.exec(named.toString("latin1", table))?.[1]);
  assert.match(named.toString("latin1", object), /^1 0 obj\n/);
});

test("PdfUpdate refuses a PDF in an unknown form", () => {
  assert.throws(() => withAuthor(Buffer.from("%PDF-1.4\n%%EOF"), "x"), RangeError);
});
