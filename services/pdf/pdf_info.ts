/**
 * Returns a text of a dictionary as Chromium writes it, or `undefined`: in parentheses, or in hex, as UTF-16
 * after a byte order mark (ISO 32000-1, 7.3.4 and 7.9.2.2).
 */
export function infoText(dictionary: string, field: string): string | undefined {
  const start = new RegExp(`(?:^|\\n)/${field} (?=[(<])`).exec(dictionary);
  if (start === null) return undefined;
  const rest = dictionary.slice(start.index + start[0].length);
  const literal = /^\(((?:[^\\()]|\\[\s\S])*)\)/.exec(rest)?.[1];
  const hex = /^<([\da-f]*)>/i.exec(rest)?.[1];
  if (literal === undefined && hex === undefined) return undefined;
  const bytes = literal === undefined
    ? Buffer.from(hex ?? "", "hex")
    : Buffer.from(unescaped(literal), "latin1");
  const isUtf16 = bytes[0] === 0xfe && bytes[1] === 0xff && bytes.length % 2 === 0;
  return isUtf16 ? bytes.subarray(2).swap16().toString("utf16le") : bytes.toString("latin1");
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function unescaped(literal: string): string {
  return literal.replace(
    /\\([0-7]{1,3}|[\s\S])/g,
    (_, code: string) =>
      /^[0-7]/.test(code) ? String.fromCharCode(parseInt(code, 8) & 255) : ESCAPES[code] ?? code,
  );
}
