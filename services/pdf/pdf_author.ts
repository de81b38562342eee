const TRAILER =
  /trailer\s*<<\s*\/Size (\d+)\s*\/Root (\d+ 0 R)\s*\/Info (\d+) 0 R\s*>>\s*startxref\s*(\d+)\s*%%EOF\s*$/;

/** The trailer is within this many bytes of the end. */
const TRAILER_BYTES = 1024;

/**
 * Returns a PDF that names its author. Chromium writes none, so the information dictionary is written
 * once more, as an incremental update (ISO 32000-1, 7.5.6).
 *
 * @throws {RangeError} If the PDF is not as Chromium writes it.
 */
export function withAuthor(pdf: Buffer, author: string): Buffer {
  const end = pdf.toString("latin1", Math.max(0, pdf.length - TRAILER_BYTES));
  const [, size, root, info, startxref] = TRAILER.exec(end) ?? [];
  const head = `\n${info} 0 obj\n`;
  const at = pdf.toString("latin1", 0, TRAILER_BYTES).indexOf(head.slice(1));
  const close = pdf.indexOf(">>\nendobj", Math.max(at, 0), "latin1");
  if (info === undefined || at < 0 || close < 0) {
    throw new RangeError("Cannot name the author: the PDF has no information dictionary");
  }
  const body = pdf.toString("latin1", at + head.length - 1, close);
  const object = `${head}${body}\n/Author ${textString(author)}>>\nendobj\n`;
  const offset = pdf.length + 1;
  const table = `xref\n${info} 1\n${String(offset).padStart(10, "0")} 00000 n \n`;
  const trailer =
    `trailer\n<</Size ${size}\n/Root ${root}\n/Info ${info} 0 R\n/Prev ${startxref}>>\n`;
  const xref = pdf.length + object.length;
  return Buffer.concat([
    pdf,
    Buffer.from(`${object}${table}${trailer}startxref\n${xref}\n%%EOF\n`, "latin1"),
  ]);
}

/** UTF-16 with a byte order mark, in hex (ISO 32000-1, 7.9.2.2). */
function textString(text: string): string {
  return `<feff${Buffer.from(text, "utf16le").swap16().toString("hex")}>`;
}
