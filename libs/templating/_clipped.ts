/**
 * Cuts a sentence that quotes foreign text to a length for logs, events and pages. A name in a template may
 * have half a million characters.
 */
export function clipped(text: string, most: number): string {
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed();
}
