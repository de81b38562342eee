/**
 * A sentence that quotes what others wrote, cut to a length that a log, an event and a page can
 * take. A name in a template may have half a million characters.
 */
export function clipped(text: string, most: number): string {
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed();
}
