const MAX_LENGTH = 200;
// File systems allow 255 bytes; programs add to it, as in "invoice (1).pdf".
const MAX_BYTES = 230;
/** Of a longer name nothing else is read: patterns for its end take time by the square of its length. */
const MAX_READ = 2000;

/**
 * Makes a file name safe to save on any system: no slashes, no control or reserved characters, no
 * leading dots, ends with `.pdf`. An empty one becomes `document.pdf`.
 */
export function pdfFilename(name: string): string {
  const clean = name.slice(0, MAX_READ)
    .replace(/[\p{Cc}\p{Bidi_Control}\u{2028}\u{2029}]/gu, "")
    .replace(/[/\\:*?"<>|]/g, "-")
    .replace(/\s+/g, " ")
    .replace(/[.\s]+$/, "")
    .replace(/\.pdf$/i, "");
  const base = trim(shorten(trim(clean)));
  return `${base === "" ? "document" : base}.pdf`;
}

function trim(name: string): string {
  return name.replace(/^[.\s]+|[.\s]+$/g, "");
}

function shorten(name: string): string {
  const chars = [...name].slice(0, MAX_LENGTH);
  while (Buffer.byteLength(chars.join("")) > MAX_BYTES) chars.pop();
  return chars.join("");
}
