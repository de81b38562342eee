import { PdfObjects } from "./pdf_objects.ts";

/** Limits of PDF/A-3 (ISO 19005-3, 6.1.13). */
const MAX_STRING_BYTES = 32_767;
const MAX_NAME_BYTES = 127;

const STRING_FAULT = `its title, or the address of a link, has more than ${MAX_STRING_BYTES} bytes`;
const NAME_FAULT = `the id that a link points to has more than ${MAX_NAME_BYTES} bytes`;

/** The start of a string, a string of hexadecimal digits, a name, or a piece that has no limit. */
const TOKEN = /(\()|<<|<([\da-fA-F\s]*)>|\/([^\s()<>[\]{}/%]*)|stream\b|endobj\b|[^(</se]+|[^]/y;

/**
 * Returns why a PDF of Chromium cannot be PDF/A-3b: a string or a name of it is too long. `undefined` if it
 * keeps the limits.
 *
 * @throws {RangeError} If the PDF is not as Chromium writes it.
 */
export function archiveLimitFault(pdf: Buffer): string | undefined {
  const objects = new PdfObjects(pdf);
  const text = pdf.toString("latin1");
  for (const id of objects.ids()) {
    const fault = faultFrom(text, objects.placeOf(id));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Reads an object up to its stream, or its end. */
function faultFrom(text: string, start: number): string | undefined {
  for (let at = start; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const [token = "", open, digits, name] = TOKEN.exec(text) ?? [];
    if (token === "stream" || token === "endobj" || token === "") return undefined;
    if (name !== undefined && nameBytes(name) > MAX_NAME_BYTES) return NAME_FAULT;
    if (digits !== undefined && digits.length / 2 > MAX_STRING_BYTES) return STRING_FAULT;
    if (open === undefined) continue;
    const { bytes, end } = readString(text, at);
    if (bytes > MAX_STRING_BYTES) return STRING_FAULT;
    TOKEN.lastIndex = end;
  }
  return undefined;
}

/** `#20` is one byte. */
function nameBytes(name: string): number {
  return name.length <= MAX_NAME_BYTES ? name.length : name.replace(/#[\da-fA-F]{2}/g, "#").length;
}

/** Counts the bytes of a string (ISO 32000-1, 7.3.4.2): `\(` and `\050` are one byte. */
function readString(text: string, start: number): { bytes: number; end: number } {
  let depth = 0;
  let bytes = -1;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") {
      const octal = /[0-7]{1,3}/y;
      octal.lastIndex = at + 1;
      at += octal.exec(text)?.[0].length ?? 1;
    } else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return { bytes, end: at + 1 };
    bytes++;
  }
  return { bytes, end: text.length };
}
