const ENTRY_BYTES = 20;

/** The trailer and the reference to the last table are within this many bytes. */
const TRAILER_BYTES = 1024;

/** Chromium's table, and one for each update. */
const MAX_TABLES = 10;

/**
 * The objects of a PDF as Chromium writes it, with or without incremental updates: found by cross-reference
 * tables (ISO 32000-1, 7.5.4), none in object streams.
 */
export class PdfObjects {
  readonly pdf: Buffer;
  readonly #places = new Map<number, number>();
  /** Object numbers of the catalog and of the information dictionary. */
  readonly root: number;
  readonly info: number;
  /** One more than the highest number of an object. */
  readonly size: number;

  /** @throws {RangeError} If the PDF is not as Chromium writes it. */
  constructor(pdf: Buffer) {
    this.pdf = pdf;
    const end = pdf.toString("latin1", Math.max(0, pdf.length - TRAILER_BYTES));
    const last = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(end)?.[1];
    let trailer = this.#readTable(numberIn(last));
    this.root = field(trailer, "Root");
    this.info = field(trailer, "Info");
    this.size = field(trailer, "Size");
    for (let tables = 1; /\/Prev /.test(trailer); tables++) {
      if (tables > MAX_TABLES) throw unlike("it has too many cross-reference tables");
      trailer = this.#readTable(field(trailer, "Prev"));
    }
  }

  /** Returns the numbers of its objects, in order. */
  ids(): number[] {
    return [...this.#places.keys()].sort((one, other) => one - other);
  }

  /** Returns the offset of an object's content, after `obj`. @throws {RangeError} */
  placeOf(id: number): number {
    const at = this.#places.get(id);
    const head = `${id} 0 obj`;
    if (at === undefined || this.pdf.toString("latin1", at, at + head.length) !== head) {
      throw unlike(`object ${id} is not at its place`);
    }
    return at + head.length;
  }

  /** Returns a whole number: `12`, or that of the object `12 0 R`. @throws {RangeError} */
  integer(value: string): number {
    const id = /^(\d+) 0 R$/.exec(value)?.[1];
    if (id === undefined) return numberIn(value);
    const at = this.placeOf(Number(id));
    return numberIn(/^\s+(\d+)\s+endobj/.exec(this.pdf.toString("latin1", at, at + 40))?.[1]);
  }

  /** Reads a table, and returns its trailer. Objects that a newer table has stay. */
  #readTable(at: number): string {
    if (this.pdf.toString("latin1", at, at + 5) !== "xref\n") throw unlike("it has no table");
    let next = at + 5;
    for (;;) {
      const line = this.pdf.toString("latin1", next, next + 24);
      const [head, first, count] = /^(\d+) (\d+)\s*\n/.exec(line) ?? [];
      if (head === undefined) break;
      next += head.length;
      this.#readSection(next, { first: Number(first), count: Number(count) });
      next += Number(count) * ENTRY_BYTES;
    }
    const text = this.pdf.toString("latin1", next, next + TRAILER_BYTES);
    const trailer = /^trailer\s*<<([^]*?)>>\s*startxref/.exec(text)?.[1];
    if (trailer === undefined) throw unlike("it has no trailer");
    return trailer;
  }

  #readSection(at: number, { first, count }: { first: number; count: number }): void {
    for (let index = 0; index < count; index++) {
      const entry = at + index * ENTRY_BYTES;
      const [, place, isUsed] = /^(\d{10}) \d{5} ([nf])/.exec(
        this.pdf.toString("latin1", entry, entry + ENTRY_BYTES),
      ) ?? [];
      if (place === undefined) throw unlike("its table is broken");
      const id = first + index;
      if (isUsed === "n" && !this.#places.has(id)) this.#places.set(id, Number(place));
    }
  }
}

function field(trailer: string, name: string): number {
  return numberIn(new RegExp(`/${name} (\\d+)`).exec(trailer)?.[1]);
}

function numberIn(text: string | undefined): number {
  if (text === undefined || !/^\d{1,10}$/.test(text)) throw unlike("a number is missing");
  return Number(text);
}

function unlike(reason: string): RangeError {
  return new RangeError(`Cannot read the PDF as Chromium writes it: ${reason}`);
}
