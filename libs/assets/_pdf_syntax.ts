/** A reference to another object: `12 0 R`. */
export class PdfReference {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

/** A token that is copied as it is: a name, a number, a string, `true`, `false` or `null`. */
export class PdfToken {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A dictionary. Its keys are names, with their slash. */
export type PdfDictionary = Map<string, PdfValue>;

/** A value of a PDF, without streams. */
export type PdfValue = PdfReference | PdfToken | PdfValue[] | PdfDictionary;

/** A PDF cannot be read. The message is a reason for people, without a final period. */
export class PdfFault extends Error {
  override readonly name = "PdfFault";
}

/** A value, and the offset of the first byte after it. */
export interface ParsedValue {
  value: PdfValue;
  end: number;
}

const MAX_DEPTH = 100;

/** The most values of one object, and of all that are read of a PDF, some of them twice. */
const MAX_VALUES = 300_000;
const MAX_ALL_VALUES = 3_000_000;

/** The most bytes that are parsed, some of them several times. */
const MAX_PARSED_BYTES = 100_000_000;

/**
 * Counts the values of a PDF: many small ones take much more memory and time than their bytes say. Counts the
 * bytes that they are read from, too: a comment has no value, and can be read again and again.
 */
export class ValueBudget {
  #all = 0;
  #one = 0;
  #bytes = 0;

  /** Begins an object. */
  begin(): void {
    this.#one = 0;
  }

  /** @throws {PdfFault} If there are too many. */
  take(): void {
    if (++this.#one > MAX_VALUES || ++this.#all > MAX_ALL_VALUES) {
      throw new PdfFault("it has too many values");
    }
  }

  /** @throws {PdfFault} If more was parsed than any honest PDF needs. */
  takeBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > MAX_PARSED_BYTES) {
      throw new PdfFault("its objects refer to the same data too often");
    }
  }
}

/** What limits the parsing of a value. */
export interface ParseLimits {
  budget: ValueBudget;
  /** How many values it is in. @default {0} */
  depth?: number;
}

const SPACE = new Set([0, 9, 10, 12, 13, 32]);
const REGULAR_END = /[\0\t\n\f\r ()<>[\]{}/%]/g;

/**
 * Parses a value (ISO 32000-1, 7.3).
 *
 * @param text Bytes as latin1
 * @throws {PdfFault}
 */
export function parseValue(
  text: string,
  start: number,
  { budget, depth = 0 }: ParseLimits,
): ParsedValue {
  budget.take();
  if (depth > MAX_DEPTH) throw new PdfFault("its values are nested too deep");
  const inner = { budget, depth: depth + 1 };
  const at = skipSpace(text, start);
  const char = text.charAt(at);
  if (char === "[") return parseArray(text, at + 1, inner);
  if (text.startsWith("<<", at)) return parseDictionary(text, at + 2, inner);
  if (char === "<" || char === "(") {
    const end = char === "<" ? text.indexOf(">", at) + 1 : endOfString(text, at);
    if (end <= at) throw new PdfFault("a string does not end");
    return { value: new PdfToken(text.slice(at, end)), end };
  }
  const end = endOfRegular(text, char === "/" ? at + 1 : at);
  if (end === at) throw new PdfFault(`a value is missing at byte ${at}`);
  const token = text.slice(at, end);
  const reference = /^\d{1,10}$/.test(token) ? referenceAt(text, at) : undefined;
  // Written again, it would refer to any object of the other PDF.
  if (token === "R") throw new PdfFault("a reference is broken");
  return reference ?? { value: new PdfToken(char === "/" ? plainName(token) : token), end };
}

/** Returns a name without escapes for signs that need none: `/#41A` is `/AA` (ISO 32000-1, 7.3.5). */
function plainName(name: string): string {
  return name.replace(/#([0-9a-f]{2})/gi, (escape, code: string) => {
    const sign = String.fromCharCode(parseInt(code, 16));
    return /[!-~]/.test(sign) && !/[#()<>[\]{}/%]/.test(sign) ? sign : escape;
  });
}

/** Returns the offset of the first byte that is neither white space nor in a comment. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (SPACE.has(text.charCodeAt(at))) at++;
    if (text.charAt(at) !== "%") return at;
    while (at < text.length && text.charAt(at) !== "\n" && text.charAt(at) !== "\r") at++;
  }
}

/** Returns a value as bytes of a PDF, with other numbers in its references. */
export function writtenValue(value: PdfValue, numberOf: (id: number) => number): string {
  if (value instanceof PdfToken) return value.text;
  if (value instanceof PdfReference) return `${numberOf(value.id)} 0 R`;
  if (Array.isArray(value)) {
    return `[${value.map((item) => writtenValue(item, numberOf)).join(" ")}]`;
  }
  const fields = Array.from(value, ([key, field]) => `${key} ${writtenValue(field, numberOf)}`);
  return `<<${fields.join("\n")}>>`;
}

function parseArray(text: string, start: number, limits: ParseLimits): ParsedValue {
  const value: PdfValue[] = [];
  let at = skipSpace(text, start);
  while (text.charAt(at) !== "]") {
    const item = parseValue(text, at, limits);
    value.push(item.value);
    at = skipSpace(text, item.end);
  }
  return { value, end: at + 1 };
}

function parseDictionary(text: string, start: number, limits: ParseLimits): ParsedValue {
  const value: PdfDictionary = new Map();
  let at = skipSpace(text, start);
  while (!text.startsWith(">>", at)) {
    const key = parseValue(text, at, limits);
    if (!(key.value instanceof PdfToken) || !key.value.text.startsWith("/")) {
      throw new PdfFault(`a name is missing at byte ${at}`);
    }
    const field = parseValue(text, key.end, limits);
    value.set(key.value.text, field.value);
    at = skipSpace(text, field.end);
  }
  return { value, end: at + 2 };
}

const REFERENCE = /(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+R(?![^\0\t\n\f\r ()<>[\]{}/%])/y;

function referenceAt(text: string, at: number): ParsedValue | undefined {
  REFERENCE.lastIndex = at;
  const found = REFERENCE.exec(text);
  if (found === null) return undefined;
  return { value: new PdfReference(Number(found[1])), end: REFERENCE.lastIndex };
}

function endOfRegular(text: string, start: number): number {
  REGULAR_END.lastIndex = start;
  return REGULAR_END.exec(text)?.index ?? text.length;
}

function endOfString(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\") at++;
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at + 1;
  }
  return -1;
}
