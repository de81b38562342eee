const HOUR_MS = 3_600_000;

/**
 * Returns the creation time of a PDF: the hour in which its send was accepted. Equal documents of one hour
 * are one PDF.
 */
export function creationTime(acceptedAt: Date): Date {
  return new Date(Math.floor(acceptedAt.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * Replaces what differs between two prints of the same document, so that they have the same bytes: the dates,
 * by the given one, and the numbers of tagged nodes, by their rank. It changes no length, so that the
 * cross-reference table stays valid.
 *
 * @param madeAt Creation time of the PDF.
 */
export function neutralize(pdf: Buffer, madeAt: Date): void {
  replaceDates(pdf, madeAt);
  renumberNodes(pdf);
}

/** Returns the number of pages of a PDF written by Chromium, or 0 if it is missing. */
export function countPages(pdf: Buffer): number {
  const counts = pdf.toString("latin1").matchAll(/\/Type \/Pages\s+\/Count (\d+)/g);
  return Math.max(0, ...Array.from(counts, ([, count]) => Number(count)));
}

function replaceDates(pdf: Buffer, madeAt: Date): void {
  // ISO 32000-1, 7.9.4.
  const date = `D:${madeAt.toISOString().replace(/\D/g, "").slice(0, 14)}+00'00'`;
  for (const field of ["/CreationDate (", "/ModDate ("]) {
    // A parenthesis inside the document's own title is escaped, so the first match is the field.
    const at = pdf.indexOf(field, 0, "latin1");
    const found = pdf.toString("latin1", at + field.length, at + field.length + date.length);
    if (at >= 0 && /^D:\d{14}[+-]\d\d'\d\d'$/.test(found)) {
      pdf.write(date, at + field.length, "latin1");
    }
  }
}

const NODE = "(node";
const NODE_DIGITS = 8;

/**
 * Renumbers the nodes of tagged PDFs, which Chromium numbers by a counter of the process. Their order is the
 * document's.
 */
function renumberNodes(pdf: Buffer): void {
  const places = new Map<string, number[]>();
  for (let at = pdf.indexOf(NODE); at >= 0; at = pdf.indexOf(NODE, at + 1)) {
    const start = at + NODE.length;
    const digits = pdf.toString("latin1", start, start + NODE_DIGITS + 1);
    if (!/^\d{8}\)$/.test(digits)) continue;
    const known = places.get(digits);
    if (known === undefined) places.set(digits, [start]);
    else known.push(start);
  }
  for (const [rank, digits] of [...places.keys()].toSorted().entries()) {
    const number = String(rank).padStart(NODE_DIGITS, "0");
    for (const start of places.get(digits) ?? []) pdf.write(number, start, "latin1");
  }
}
