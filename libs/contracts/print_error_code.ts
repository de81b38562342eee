/** The closed list of reasons why a PDF was not made. */
export const PRINT_ERROR_CODES = [
  /** The document took longer than the time limit. */
  "timeout",
  /** The HTML, the number of pages or the PDF is over its limit. */
  "too_large",
  /** The page options or the document cannot be printed as they are. */
  "invalid",
  /** The document requests an address that it may not load. */
  "blocked",
  /** The page of an invoice does not show the totals of its XML. Its reason is that of `totalsDiffer()`. */
  "totals_differ",
  /** No font has a glyph for a character of the text. */
  "missing_glyphs",
  /** The browser died or hung under this document more than once, or had too little processor time for it. */
  "crashed",
  /** The browser does not start, is shutting down, or was busy. The document is not the cause. */
  "unavailable",
  /** The caller's signal ended the wait. */
  "aborted",
] as const;

/** Why a PDF was not made. */
export type PrintErrorCode = typeof PRINT_ERROR_CODES[number];

/**
 * Returns the reason why an invoice was not made, whether its page and its XML disagree or the sums of its XML
 * among themselves. It has the code: a text is all that a message keeps of its failure.
 */
export function totalsDiffer(fault: string): string {
  const code: PrintErrorCode = "totals_differ";
  return `the totals differ (${code}): ${fault}`;
}
