/** A string in an object. */
export interface StringPlace {
  from: number;
  to: number;
  /** Its decoded value. */
  bytes: Buffer;
}

/** The parts of an object that its encryption replaces. */
export interface ScannedObject {
  /** Where the content begins and ends; that of a stream ends where its bytes begin. */
  start: number;
  end: number;
  strings: StringPlace[];
  stream?: {
    /** The value of `Length`, and its place. */
    lengthAt: { from: number; to: number; value: string };
  };
}

const BACKSLASH = 0x5c;
const ENDS_NAME = /[\s()<>[\]{}/%]/;

/**
 * Finds the strings of an object, and its stream (ISO 32000-1, 7.3).
 *
 * @param start Offset after `obj`.
 * @throws {RangeError} If the object does not end, or is a stream of objects.
 */
export function scanObject(pdf: Buffer, start: number): ScannedObject {
  const strings: StringPlace[] = [];
  let depth = 0;
  let lengthAt: { from: number; to: number; value: string } | undefined;
  for (let at = start; at < pdf.length;) {
    const char = String.fromCharCode(pdf[at] ?? 0);
    if (char === "(") {
      strings.push(literalString(pdf, at));
      at = strings.at(-1)?.to ?? pdf.length;
    } else if (char === "<" || char === ">") {
      const isDictionary = pdf[at + 1] === pdf[at];
      if (isDictionary) depth += char === "<" ? 1 : -1;
      else strings.push(hexString(pdf, at));
      at = isDictionary ? at + 2 : strings.at(-1)?.to ?? pdf.length;
    } else if (char === "/") {
      const name = nameAt(pdf, at);
      at += name.length;
      if (depth !== 1) continue;
      if (name === "/Length") lengthAt = numberAfter(pdf, at);
      if (name === "/ObjStm" || name === "/XRef") throw new RangeError(`Cannot encrypt ${name}`);
    } else if (char === "e" && hasAt(pdf, at, "endobj")) {
      return { start, end: at, strings };
    } else if (char === "s" && hasAt(pdf, at, "stream")) {
      if (lengthAt === undefined) break;
      const after = at + "stream".length;
      const end = after + (pdf[after] === 0x0d ? 2 : 1);
      return { start, end, strings, stream: { lengthAt } };
    } else at++;
  }
  throw new RangeError(`Cannot encrypt the PDF: the object at ${start} does not end`);
}

function nameAt(pdf: Buffer, at: number): string {
  let end = at + 1;
  while (end < pdf.length && !ENDS_NAME.test(String.fromCharCode(pdf[end] ?? 0))) end++;
  return pdf.toString("latin1", at, end);
}

function hasAt(pdf: Buffer, at: number, word: string): boolean {
  return pdf.toString("latin1", at, at + word.length) === word;
}

function numberAfter(pdf: Buffer, at: number): { from: number; to: number; value: string } {
  const [all = "", space = "", value = ""] = /^(\s+)(\d+ 0 R|\d+)/.exec(
    pdf.toString("latin1", at, at + 40),
  ) ?? [];
  return { from: at + space.length, to: at + all.length, value };
}

function hexString(pdf: Buffer, from: number): StringPlace {
  const close = pdf.indexOf(">", from);
  if (close < 0) throw new RangeError(`Cannot encrypt the PDF: the string at ${from} does not end`);
  const digits = pdf.toString("latin1", from + 1, close).replace(/\s+/g, "");
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, "hex");
  return { from, to: close + 1, bytes };
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

/** Reads a string in parentheses (ISO 32000-1, 7.3.4.2). */
function literalString(pdf: Buffer, from: number): StringPlace {
  const bytes: number[] = [];
  let depth = 0;
  for (let at = from; at < pdf.length;) {
    const byte = pdf[at] ?? 0;
    if (byte === BACKSLASH) {
      const { value, length } = escapeAt(pdf, at + 1);
      if (value !== undefined) bytes.push(value);
      at += 1 + length;
      continue;
    }
    at++;
    if (byte === 0x28 && depth++ === 0) continue;
    if (byte === 0x29 && --depth === 0) return { from, to: at, bytes: Buffer.from(bytes) };
    // An end of a line is one character, however it is written.
    if (byte === 0x0d && pdf[at] === 0x0a) at++;
    bytes.push(byte === 0x0d ? 0x0a : byte);
  }
  throw new RangeError(`Cannot encrypt the PDF: the string at ${from} does not end`);
}

/** Reads what follows a backslash. An end of a line is nothing there. */
function escapeAt(pdf: Buffer, at: number): { value?: number; length: number } {
  const [octal] = /^[0-7]{1,3}/.exec(pdf.toString("latin1", at, at + 3)) ?? [];
  if (octal !== undefined) return { value: parseInt(octal, 8) & 0xff, length: octal.length };
  const char = String.fromCharCode(pdf[at] ?? 0);
  if (char === "\r") return { length: pdf[at + 1] === 0x0a ? 2 : 1 };
  if (char === "\n") return { length: 1 };
  return { value: ESCAPES[char] ?? pdf[at] ?? 0, length: 1 };
}
