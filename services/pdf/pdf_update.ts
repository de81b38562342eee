import { PdfObjects } from "./pdf_objects.ts";

const NUMBER_DIGITS = 10;

interface PdfObject {
  id: number;
  bytes: Buffer;
}

/**
 * Changes a PDF as Chromium writes it by an incremental update (ISO 32000-1, 7.5.6): the printed bytes stay,
 * and changed and new objects follow them.
 */
export class PdfUpdate {
  readonly #printed: PdfObjects;
  readonly #objects: PdfObject[] = [];
  #size: number;
  /** Object numbers of the catalog and of the information dictionary. */
  readonly root: number;
  readonly info: number;

  /** @throws {RangeError} If the PDF is not as Chromium writes it. */
  constructor(pdf: Buffer) {
    this.#printed = new PdfObjects(pdf);
    const { size, root, info } = this.#printed;
    this.#size = size;
    this.root = root;
    this.info = info;
  }

  /** Returns the content of a printed dictionary, without its brackets. @throws {RangeError} */
  dictionary(id: number): string {
    const { pdf } = this.#printed;
    const at = this.#printed.placeOf(id);
    const close = pdf.indexOf(">>\nendobj", at, "latin1");
    if (pdf.toString("latin1", at, at + 3) !== "\n<<" || close < 0) {
      throw new RangeError(`Cannot update the PDF: object ${id} is not a dictionary`);
    }
    return pdf.toString("latin1", at + 3, close);
  }

  /** Number of the next object. */
  get size(): number {
    return this.#size;
  }

  /** Writes an object again. */
  replace(id: number, body: string | Buffer): void {
    const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
    const parts = [Buffer.from(`${id} 0 obj\n`), bytes, Buffer.from("\nendobj\n")];
    this.#objects.push({ id, bytes: Buffer.concat(parts) });
  }

  /** Adds an object, and returns its number. */
  add(body: string | Buffer): number {
    const id = this.#size++;
    this.replace(id, body);
    return id;
  }

  /** Adds a stream, and returns its number. `fields` are further fields of its dictionary. */
  addStream(fields: string, content: Buffer): number {
    const id = this.#size++;
    const head = `${id} 0 obj\n<<${fields}\n/Length ${content.length}>> stream\n`;
    const bytes = [Buffer.from(head, "latin1"), content, Buffer.from("\nendstream\nendobj\n")];
    this.#objects.push({ id, bytes: Buffer.concat(bytes) });
    return id;
  }

  /**
   * Returns the updated PDF.
   *
   * @param fieldsOf Returns further fields of the trailer, from everything before it.
   */
  finish(fieldsOf: (before: readonly Buffer[]) => string = () => ""): Buffer {
    const { pdf, table } = this.#printed;
    const parts: Buffer[] = [pdf, Buffer.from("\n")];
    let at = pdf.length + 1;
    const places: { id: number; at: number }[] = [];
    for (const { id, bytes } of this.#objects) {
      places.push({ id, at });
      parts.push(bytes);
      at += bytes.length;
    }
    parts.push(Buffer.from(tableOf(places), "latin1"));
    const trailer = `trailer\n<</Size ${this.#size}\n/Root ${this.root} 0 R\n` +
      `/Info ${this.info} 0 R\n/Prev ${table}${fieldsOf(parts)}>>\n`;
    parts.push(Buffer.from(`${trailer}startxref\n${at}\n%%EOF\n`, "latin1"));
    return Buffer.concat(parts);
  }
}

/** Returns the cross-reference table of an update: one section for each run of object numbers. */
function tableOf(places: { id: number; at: number }[]): string {
  const sections: { first: number; lines: string[] }[] = [];
  for (const { id, at } of places.toSorted((one, other) => one.id - other.id)) {
    const line = `${String(at).padStart(NUMBER_DIGITS, "0")} 00000 n \n`;
    const last = sections.at(-1);
    if (last !== undefined && last.first + last.lines.length === id) last.lines.push(line);
    else sections.push({ first: id, lines: [line] });
  }
  const text = sections.map(({ first, lines }) => `${first} ${lines.length}\n${lines.join("")}`);
  return `xref\n${text.join("")}`;
}
