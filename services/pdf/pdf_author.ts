import type { PdfUpdate } from "./pdf_update.ts";

/** Returns the information dictionary with an author, which Chromium does not write. */
export function authoredInfo(update: PdfUpdate, author: string): string {
  return `<<${update.dictionary(update.info)}\n/Author ${textString(author)}>>`;
}

/** Returns UTF-16 with a byte order mark, in hex (ISO 32000-1, 7.9.2.2). */
function textString(text: string): string {
  return `<feff${Buffer.from(text, "utf16le").swap16().toString("hex")}>`;
}
