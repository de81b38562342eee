/** The moment that every PDF says it was made. */
const EPOCH = "D:19700101000000+00'00'";

/**
 * Puts a fixed date in place of the dates Chromium writes into a PDF, in the same number of bytes
 * so that the cross-reference table stays right. The same input then gives the same bytes.
 */
export function neutralizeDates(pdf: Buffer): void {
  for (const field of ["/CreationDate (", "/ModDate ("]) {
    // A parenthesis inside the document's own title is escaped, so the first match is the field.
    const at = pdf.indexOf(field, 0, "latin1");
    const date = pdf.toString("latin1", at + field.length, at + field.length + EPOCH.length);
    if (at >= 0 && /^D:\d{14}[+-]\d\d'\d\d'$/.test(date)) {
      pdf.write(EPOCH, at + field.length, "latin1");
    }
  }
}

/** The number of pages of a PDF written by Chromium, or 0 if it does not say. */
export function countPages(pdf: Buffer): number {
  const counts = pdf.toString("latin1").matchAll(/\/Type \/Pages\s+\/Count (\d+)/g);
  return Math.max(0, ...Array.from(counts, ([, count]) => Number(count)));
}
