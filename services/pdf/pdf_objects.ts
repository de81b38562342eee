const ENTRY_BYTES = 20;

/** The trailer and the reference to the last table are within this many bytes. */
const TRAILER_BYTES = 1024;

/** Chromium's table, and one for each update. */
const MAX_TABLES = 10;

/**
 * The objects of a PDF as Chromium writes it, with or without incremental updates: found by cross-reference
 * tables (ISO 32000-1, 7.5.4), none in object streams. Entries are read when they are needed: an update needs
 * two, and a long document has thousands.
 */
export class PdfObjects {
  readonly pdf: Buffer;
  /** Sections of tables, the newest table first. `at` is the offset of the first entry. */
  readonly #sections: { first: number; count: number; at: number }[] = [];
  /** Offset of the newest table. */
  readonly table: number;
  /** Object numbers of the catalog and of the information dictionary. */
  readonly root: number;
  readonly info: number;
  /** One more than the highest number of an object. */
  readonly size: number;

  /** @throws {RangeError} If the PDF is not as Chromium writes it. */
  constructor(pdf: Buffer) {
    this.pdf = pdf;
    const end = pdf.toString("latin1", Math.max(0, pdf.length - TRAILER_BYTES));
    this.table = numberIn(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(end)?.[1]);
    let trailer = this.#readTable(this.table);
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
    const ids = this.#sections.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, index) => first + index)
    );
    return [...new Set(ids)].filter((id) => this.#offsetOf(id) !== undefined)
      .sort((one, other) => one - other);
  }

  /** Returns the offset of an object's content, after `obj`. @throws {RangeError} */
  placeOf(id: number): number {
    const at = this.#offsetOf(id);
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

  /** Reads a table without its entries, and returns its trailer. */
  #readTable(at: number): string {
    if (this.pdf.toString("latin1", at, at + 5) !== "xref\n") throw unlike("it has no table");
    let next = at + 5;
    for (;;) {
      const line = this.pdf.toString("latin1", next, next + 24);
      const [head, first, count] = /^(\d+) (\d+)\s*\n/.exec(line) ?? [];
      if (head === undefined) break;
      next += head.length;
      this.#sections.push({ first: Number(first), count: Number(count), at: next });
      next += Number(count) * ENTRY_BYTES;
    }
    const text = this.pdf.toString("latin1", next, next + TRAILER_BYTES);
    const trailer = /^trailer\s*<<([^]*?)>>\s*startxref/.exec(text)?.[1];
    if (trailer === undefined) throw unlike("it has no trailer");
    return trailer;
  }

  /** Returns the offset of an object by the newest table that uses its number. */
  #offsetOf(id: number): number | undefined {
    for (const { first, count, at } of this.#sections) {
      if (id < first || id >= first + count) continue;
      const entry = at + (id - first) * ENTRY_BYTES;
      const text = this.pdf.toString("latin1", entry, entry + ENTRY_BYTES);
      const [, place, isUsed] = /^(\d{10}) \d{5} ([nf])/.exec(text) ?? [];
      if (place === undefined) throw unlike("its table is broken");
      if (isUsed === "n") return Number(place);
    }
    return undefined;
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
