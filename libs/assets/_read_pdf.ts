import { inflateSync } from "node:zlib";
import {
  type ParsedValue,
  parseValue,
  type PdfDictionary,
  PdfFault,
  PdfReference,
  PdfToken,
  type PdfValue,
  skipSpace,
  ValueBudget,
} from "./_pdf_syntax.ts";

/** An object of a PDF. A stream has a dictionary, and its bytes as they are in the file. */
export interface PdfObject {
  value: PdfValue;
  stream?: Buffer;
}

type Place = { at: number } | { within: number; index: number };

/** The most bytes of all streams that are unpacked here: tables and streams of objects. */
const MAX_UNPACKED_BYTES = 15_000_000;
const TOO_LARGE = "its packed objects are broken or too large";

/** An object may need others to be read: the length of its stream, or the stream that it is in. */
const MAX_NESTED = 10;

const MAX_TABLES = 100;
const MAX_OBJECTS = 200_000;

/**
 * A PDF of any program, by its cross-reference tables or streams (ISO 32000-1, 7.5). Damaged and encrypted ones are
 * refused, not repaired.
 */
export class ReadPdf {
  readonly #bytes: Buffer;
  readonly #text: string;
  readonly #places = new Map<number, Place>();
  readonly #packed = new Map<number, { text: string; starts: number[] }>();
  readonly #budget = new ValueBudget();
  readonly #trailer: PdfDictionary;
  #unpackedBytes = 0;
  #nested = 0;

  /** @throws {PdfFault} */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#text = bytes.toString("latin1");
    if (!this.#text.startsWith("%PDF-")) throw new PdfFault("it does not begin as a PDF");
    const last = /startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(this.#text.slice(-1_100))?.[1];
    if (last === undefined) throw new PdfFault("it does not end as a PDF");
    this.#trailer = this.#readTables(Number(last));
    if (this.#trailer.has("/Encrypt")) throw new PdfFault("it is encrypted");
  }

  /** The catalog. @throws {PdfFault} */
  catalog(): PdfDictionary {
    return this.dictionary(this.#trailer.get("/Root"), "catalog");
  }

  /** Returns an object. One that does not exist is null. @throws {PdfFault} */
  object(id: number): PdfObject {
    const place = this.#places.get(id);
    if (place === undefined) return { value: new PdfToken("null") };
    if (this.#nested >= MAX_NESTED) throw new PdfFault(`object ${id} needs itself`);
    this.#nested++;
    try {
      return "at" in place ? this.#objectAt(id, place.at) : this.#packedObject(id, place);
    } finally {
      this.#nested--;
    }
  }

  /** Returns a value, or the one that it refers to. @throws {PdfFault} */
  resolved(value: PdfValue | undefined): PdfValue | undefined {
    let found = value;
    for (let hops = 0; found instanceof PdfReference; hops++) {
      if (hops > 10) throw new PdfFault("a reference refers to itself");
      found = this.object(found.id).value;
    }
    return found;
  }

  /** Returns a dictionary, or the one that a value refers to. @throws {PdfFault} If it is none. */
  dictionary(value: PdfValue | undefined, what: string): PdfDictionary {
    const found = this.resolved(value);
    if (found instanceof Map) return found;
    throw new PdfFault(`it has no ${what}`);
  }

  #parsed(text: string, start: number): ParsedValue {
    this.#budget.begin();
    const { value, end } = parseValue(text, start, { budget: this.#budget });
    const next = skipSpace(text, end);
    this.#budget.takeBytes(next - start);
    return { value, end: next };
  }

  #integer(value: PdfValue | undefined): number {
    const found = this.resolved(value);
    const text = found instanceof PdfToken ? found.text : "";
    if (!/^\d{1,10}$/.test(text)) throw new PdfFault("a number is missing");
    return Number(text);
  }

  #readTables(last: number): PdfDictionary {
    let newest: PdfDictionary | undefined;
    const seen = new Set<number>();
    for (let next: number | undefined = last; next !== undefined;) {
      if (seen.has(next) || seen.size >= MAX_TABLES) throw new PdfFault("its tables are broken");
      seen.add(next);
      const trailer: PdfDictionary = this.#text.startsWith("xref", next)
        ? this.#readTable(next + 4)
        : this.#readTableStream(next);
      newest ??= trailer;
      const hybrid = trailer.get("/XRefStm");
      if (hybrid !== undefined) this.#readTableStream(this.#integer(hybrid));
      const before = trailer.get("/Prev");
      next = before === undefined ? undefined : this.#integer(before);
    }
    return newest ?? new Map();
  }

  #readTable(start: number): PdfDictionary {
    const section = /\s*(\d{1,10})\s+(\d{1,10})\s+(?=\d{10} |trailer|\d)/y;
    const entry = /(\d{10}) (\d{5}) ([nf])[ \r\n]{1,2}\s*/y;
    let at = start;
    for (;;) {
      section.lastIndex = at;
      const found = section.exec(this.#text);
      if (found === null) break;
      const [first, count] = [Number(found[1]), Number(found[2])];
      at = section.lastIndex;
      for (let index = 0; index < count; index++) {
        entry.lastIndex = at;
        const line = entry.exec(this.#text);
        if (line === null) throw new PdfFault("its table is broken");
        at = entry.lastIndex;
        this.#note(first + index, line[3] === "n" ? { at: Number(line[1]) } : undefined);
      }
    }
    at = skipSpace(this.#text, at);
    if (!this.#text.startsWith("trailer", at)) throw new PdfFault("its table has no trailer");
    const { value } = this.#parsed(this.#text, at + 7);
    if (!(value instanceof Map)) throw new PdfFault("its trailer is broken");
    return value;
  }

  #readTableStream(at: number): PdfDictionary {
    const id = Number(/^(\d{1,10})\s/.exec(this.#text.slice(at, at + 12))?.[1]);
    if (Number.isNaN(id)) throw new PdfFault("its table is not at its place");
    const { value: dictionary, stream } = this.#objectAt(id, at);
    if (!(dictionary instanceof Map) || stream === undefined) {
      throw new PdfFault("its table is broken");
    }
    const numbers = (value: PdfValue | undefined) =>
      Array.isArray(value) ? value.map((item) => this.#integer(item)) : undefined;
    const widths = numbers(dictionary.get("/W")) ?? [];
    const [type = 0, second = 0, third = 0] = widths;
    const index = numbers(dictionary.get("/Index")) ?? [0, this.#integer(dictionary.get("/Size"))];
    const row = type + second + third;
    if (row === 0 || widths.some((width) => width > 6)) throw new PdfFault("its table is broken");
    const table = this.#unpacked({ value: dictionary, stream });
    let from = 0;
    for (let pair = 0; pair + 1 < index.length; pair += 2) {
      const [first = 0, count = 0] = index.slice(pair, pair + 2);
      for (let entry = 0; entry < count; entry++, from += row) {
        if (from + row > table.length) throw new PdfFault("its table is too short");
        const field = (start: number, width: number) =>
          width === 0 ? 0 : table.readUIntBE(from + start, width);
        const kind = type === 0 ? 1 : field(0, type);
        const [one, two] = [field(type, second), field(type + second, third)];
        const place = kind === 1
          ? { at: one }
          : kind === 2
          ? { within: one, index: two }
          : undefined;
        this.#note(first + entry, place);
      }
    }
    return dictionary;
  }

  /** Newer tables come first: what they have stays, also what they have removed. */
  #note(id: number, place: Place | undefined): void {
    if (this.#places.size >= MAX_OBJECTS) throw tooManyObjects();
    if (!this.#places.has(id)) this.#places.set(id, place ?? { at: -1 });
  }

  #objectAt(id: number, at: number): PdfObject {
    if (at === -1) return { value: new PdfToken("null") };
    const head = /^\s{0,10}(\d{1,10})\s+\d{1,5}\s+obj/.exec(this.#text.slice(at, at + 50));
    if (head === null || Number(head[1]) !== id) {
      throw new PdfFault(`object ${id} is not at its place`);
    }
    const { value, end: next } = this.#parsed(this.#text, at + head[0].length);
    if (!this.#text.startsWith("stream", next) || !(value instanceof Map)) return { value };
    const start = next + (this.#text.startsWith("\r\n", next + 6) ? 8 : 7);
    const length = this.#integer(value.get("/Length"));
    const stream = this.#bytes.subarray(start, start + length);
    if (!/^\s*endstream/.test(this.#text.slice(start + length, start + length + 15))) {
      throw new PdfFault(`the stream ${id} has another length`);
    }
    return { value, stream };
  }

  #packedObject(id: number, { within, index }: { within: number; index: number }): PdfObject {
    const { text, starts } = this.#packedObjects(within);
    const start = starts[index];
    if (start === undefined) throw new PdfFault(`object ${id} is not at its place`);
    return { value: this.#parsed(text, start).value };
  }

  #packedObjects(id: number): { text: string; starts: number[] } {
    const known = this.#packed.get(id);
    if (known !== undefined) return known;
    const place = this.#places.get(id);
    const object = place !== undefined && "at" in place ? this.#objectAt(id, place.at) : undefined;
    if (!(object?.value instanceof Map)) throw new PdfFault(`object ${id} is not at its place`);
    const text = this.#unpacked(object).toString("latin1");
    const first = this.#integer(object.value.get("/First"));
    const packed = { text, starts: startsIn(text.slice(0, first), first) };
    this.#packed.set(id, packed);
    return packed;
  }

  /** Streams may overlap, so those that are not packed count, too. @throws {PdfFault} */
  #counted(bytes: Buffer): Buffer {
    this.#unpackedBytes += bytes.length;
    if (this.#unpackedBytes > MAX_UNPACKED_BYTES) throw new PdfFault(TOO_LARGE);
    return bytes;
  }

  #unpacked({ value, stream = Buffer.alloc(0) }: PdfObject): Buffer {
    const dictionary = value as PdfDictionary;
    const only = (field: PdfValue | undefined) =>
      this.resolved(Array.isArray(field) ? field.length > 1 ? undefined : field[0] : field);
    const filter = only(this.resolved(dictionary.get("/Filter")));
    if (filter === undefined && !dictionary.has("/Filter")) return this.#counted(stream);
    if (!(filter instanceof PdfToken) || filter.text !== "/FlateDecode") {
      throw new PdfFault("its objects are packed in a way that is not supported");
    }
    let bytes: Buffer;
    try {
      const maxOutputLength = Math.max(1, MAX_UNPACKED_BYTES - this.#unpackedBytes);
      bytes = inflateSync(stream, { maxOutputLength });
    } catch {
      throw new PdfFault(TOO_LARGE);
    }
    this.#counted(bytes);
    const parameters = only(this.resolved(dictionary.get("/DecodeParms")));
    if (!(parameters instanceof Map) || !parameters.has("/Predictor")) return bytes;
    const predictor = this.#integer(parameters.get("/Predictor"));
    if (predictor === 1) return bytes;
    if (predictor < 10) throw new PdfFault("its objects are packed in a way that is not supported");
    return unpredicted(bytes, this.#integer(parameters.get("/Columns")));
  }
}

/** Returns where the objects of a stream begin, by its list of pairs: a number, and an offset from the first. */
function startsIn(list: string, first: number): number[] {
  const starts: number[] = [];
  let isOffset = false;
  // One word at a time: a pattern of both would try each place of a long word.
  for (const [word] of list.matchAll(/\S+/g)) {
    if (isOffset) starts.push(first + Number(word));
    if (starts.length > MAX_OBJECTS) throw tooManyObjects();
    isOffset = !isOffset;
  }
  return starts;
}

function tooManyObjects(): PdfFault {
  return new PdfFault(`it has more than ${MAX_OBJECTS} objects`);
}

/** Undoes the filters of PNG, for one byte per column (RFC 2083, 6). */
function unpredicted(bytes: Buffer, columns: number): Buffer {
  const rows = columns < 1 ? 0 : Math.floor(bytes.length / (columns + 1));
  const result = Buffer.alloc(rows * columns);
  for (let row = 0; row < rows; row++) {
    const filter = bytes[row * (columns + 1)] ?? 0;
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const left = column > 0 ? result[at - 1] ?? 0 : 0;
      const up = row > 0 ? result[at - columns] ?? 0 : 0;
      const corner = row > 0 && column > 0 ? result[at - columns - 1] ?? 0 : 0;
      const byte = bytes[row * (columns + 1) + 1 + column] ?? 0;
      result[at] = byte + predicted(filter, { left, up, corner });
    }
  }
  return result;
}

function predicted(
  filter: number,
  { left, up, corner }: { left: number; up: number; corner: number },
): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return Math.floor((left + up) / 2);
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(guess - one));
  if (a !== undefined && b !== undefined && c !== undefined) {
    if (a <= b && a <= c) return left;
    return b <= c ? up : corner;
  }
  return 0;
}
