/** Spreadsheets take a cell that begins so for a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r']/;

/** Returns a line of a CSV file (RFC 4180). No cell is a formula: one that would be begins with an apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/** Returns a cell as it was before {@linkcode csvLine}. */
export function csvText(cell = ""): string {
  const text = cell.trim();
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}

function cellOf(value: string): string {
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
