import assert from "node:assert/strict";
import { test } from "node:test";
import { pdfFilename } from "./pdf_filename.ts";

const NAMES: Record<string, [given: string, safe: string]> = {
  "a plain name": ["invoice-7.pdf", "invoice-7.pdf"],
  "no ending": ["invoice 7", "invoice 7.pdf"],
  "an ending in capitals": ["Invoice.PDF", "Invoice.pdf"],
  "another ending": ["invoice.exe", "invoice.exe.pdf"],
  "letters beyond ASCII": ["Rechnung für Zoë – 発票.pdf", "Rechnung für Zoë – 発票.pdf"],
  "nothing": ["", "document.pdf"],
  "only an ending": [".pdf", "document.pdf"],
  "only blanks and dots": [" . .. ", "document.pdf"],
  "a path": ["../../etc/passwd", "-..-etc-passwd.pdf"],
  "a path of Windows": ["C:\\temp\\x.pdf", "C--temp-x.pdf"],
  "reserved characters": ['a<b>c:"d"|e?f*.pdf', "a-b-c--d--e-f-.pdf"],
  "line breaks and controls": ["a\r\nb\0c\u{7f}.pdf", "abc.pdf"],
  "an override of direction": ["invoice\u{202e}fdp.exe", "invoicefdp.exe.pdf"],
  "an Arabic letter mark": ["a\u{61c}b", "ab.pdf"],
  "many blanks": ["a \u{a0} \u{2003} b.pdf", "a b.pdf"],
  "a hidden file": [".bashrc", "bashrc.pdf"],
  "dots at the end": ["a.pdf. .", "a.pdf"],
};

test("pdfFilename() makes a name safe", async (t) => {
  for (const [what, [given, safe]] of Object.entries(NAMES)) {
    await t.test(what, () => assert.equal(pdfFilename(given), safe));
  }
});

test("pdfFilename() keeps a name shorter than file systems allow, between whole characters", () => {
  for (const letter of ["a", "ä", "😀"]) {
    const name = pdfFilename(`${letter.repeat(500)}.pdf`);
    assert.ok(Buffer.byteLength(name) <= 255 && name.length <= 204, `${name.length} characters`);
    assert.match(name, new RegExp(`^(?:${letter}){50,}\\.pdf$`, "u"));
  }
});

test("pdfFilename() is quick with a name of any length", () => {
  for (const piece of [".", " ", " .", ".pdf", "/", "\0", "a"]) {
    const filler = piece.repeat(1_000_000);
    assert.match(pdfFilename(`invoice ${filler}x`), /^invoice.*\.pdf$/);
    assert.match(pdfFilename(filler), /\.pdf$/);
  }
});

test("pdfFilename() leaves its own result alone", () => {
  for (const [given] of Object.values(NAMES)) {
    const name = pdfFilename(given);
    assert.equal(pdfFilename(name), name);
  }
});
