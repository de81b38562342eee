import { PdfUpdate } from "./pdf_update.ts";

/**
 * Returns a PDF that names its author. Chromium writes none, so the information dictionary is written
 * once more.
 *
 * @throws {RangeError} If the PDF is not as Chromium writes it.
 */
export function withAuthor(pdf: Buffer, author: string): Buffer {
  const update = new PdfUpdate(pdf);
  update.replace(update.info, authoredInfo(update, author));
  return update.finish();
}

/** Returns the information dictionary with an author. */
export function authoredInfo(update: PdfUpdate, author: string): string {
  return `<<${update.dictionary(update.info)}\n/Author ${textString(author)}>>`;
}

/** Returns UTF-16 with a byte order mark, in hex (ISO 32000-1, 7.9.2.2). */
function textString(text: string): string {
  return `<feff${Buffer.from(text, "utf16le").swap16().toString("hex")}>`;
}
