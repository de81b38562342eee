const MAX_LENGTH = 200;

/**
 * Makes a file name safe to save on any system: no slashes, no control or reserved characters, no
 * leading dots, ends with `.pdf`. An empty one becomes `document.pdf`.
 */
export function pdfFilename(name: string): string {
  const clean = name
    // deno-lint-ignore no-control-regex
    .replace(/[\u{0}-\u{1f}\u{7f}-\u{9f}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}]/gu, "")
    .replace(/[/\\:*?"<>|]/g, "-")
    .replace(/\s+/g, " ")
    .replace(/^[.\s]+|[.\s]+$/g, "")
    .replace(/\.pdf$/i, "");
  const base = [...clean].slice(0, MAX_LENGTH).join("").trim();
  return `${base === "" ? "document" : base}.pdf`;
}
