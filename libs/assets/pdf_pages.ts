import {
  type PdfDictionary,
  PdfFault,
  PdfReference,
  PdfToken,
  type PdfValue,
} from "./_pdf_syntax.ts";
import { writtenValue } from "./_pdf_syntax.ts";
import { ReadPdf } from "./_read_pdf.ts";

/** The pages of a PDF, to be copied into another one. */
export interface PdfPages {
  count: number;
  /**
   * Returns the objects of the pages, and the numbers of the pages among them.
   *
   * @param first Number of the first new object
   * @param parent Number of the dictionary of pages that has them
   */
  copied(first: number, parent: number): CopiedPages;
}

/** Objects with new numbers. */
export interface CopiedPages {
  objects: { id: number; body: Buffer }[];
  pages: number[];
}

/** What pages inherit (ISO 32000-1, table 30). */
const INHERITED = ["/Resources", "/MediaBox", "/CropBox", "/Rotate"] as const;

/** What is copied of a page. All else leads out of it, needs the rest of its document, or is not printed. */
const KEPT = [...INHERITED, "/Contents", "/Group", "/UserUnit", "/BleedBox", "/TrimBox", "/ArtBox"];

/** What leads from a stream to other files, or to marks for screen readers. */
const LEFT_OUT = [
  "/F",
  "/FFilter",
  "/FDecodeParms",
  "/AF",
  "/Ref",
  "/OPI",
  "/StructParent",
  "/StructParents",
];

const MAX_PAGES = 100;
/** Each page repeats what it inherits: a small file could become a large one. */
const MAX_COPIED_BYTES = 20_000_000;
const MAX_TREE_DEPTH = 50;
const MAX_TREE_NODES = 10_000;

/**
 * Reads the pages of a PDF. Links, forms, scripts, outlines, other files and marks
 * for screen readers are not among them.
 *
 * @throws {PdfFault} If it is encrypted or damaged, or has no pages, or too many.
 */
export function readPdfPages(bytes: Buffer): PdfPages {
  const pdf = new ReadPdf(bytes);
  const root = pdf.catalog().get("/Pages");
  const pages: PdfDictionary[] = [];
  const seen = new Set<number>();
  let nodes = 0;
  const walk = (value: PdfValue | undefined, above: PdfDictionary, depth: number) => {
    if (depth > MAX_TREE_DEPTH) throw new PdfFault("its pages are nested too deep");
    if (++nodes > MAX_TREE_NODES) throw new PdfFault("its tree of pages is too large");
    if (value instanceof PdfReference) {
      if (seen.has(value.id)) throw new PdfFault("a page contains itself");
      seen.add(value.id);
    }
    const node = pdf.dictionary(value, "page");
    const own = new Map([...above, ...INHERITED.flatMap((name) => fieldOf(node, name))]);
    const kids = pdf.resolved(node.get("/Kids"));
    if (Array.isArray(kids)) {
      for (const kid of kids) walk(kid, own, depth + 1);
      return;
    }
    if (pages.length >= MAX_PAGES) throw new PdfFault(`it has more than ${MAX_PAGES} pages`);
    const whole = new Map([...own, ...node]);
    pages.push(new Map(KEPT.flatMap((name) => fieldOf(whole, name))));
  };
  walk(root, new Map(), 0);
  if (pages.length === 0) throw new PdfFault("it has no pages");
  // Damaged objects are found now, and not while printing.
  const { objects } = copyPages(pdf, pages, { first: 1, parent: 0 });
  if (objects.length === 0) throw new PdfFault("it has no pages");
  return {
    count: pages.length,
    copied: (first, parent) => copyPages(pdf, pages, { first, parent }),
  };
}

function fieldOf(node: PdfDictionary, name: string): [string, PdfValue][] {
  const value = node.get(name);
  return value === undefined ? [] : [[name, value]];
}

function copyPages(
  pdf: ReadPdf,
  pages: readonly PdfDictionary[],
  { first, parent }: { first: number; parent: number },
): CopiedPages {
  const numbers = new Map<number, number>();
  const waiting: number[] = [];
  let next = first + pages.length;
  const numberOf = (id: number) => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, next);
    waiting.push(id);
    return next++;
  };
  let bytes = 0;
  const counted = (body: Buffer) => {
    bytes += body.length;
    if (bytes <= MAX_COPIED_BYTES) return body;
    throw new PdfFault(`its copied pages have more than ${MAX_COPIED_BYTES} bytes`);
  };
  const objects = pages.map((page, index): CopiedPages["objects"][number] => {
    const whole = new Map(page).set("/Type", new PdfToken("/Page"));
    const fields = writtenValue(whole, numberOf).slice(0, -2);
    return {
      id: first + index,
      body: counted(Buffer.from(`${fields}\n/Parent ${parent} 0 R>>`, "latin1")),
    };
  });
  // It grows meanwhile.
  for (const id of waiting) {
    objects.push({ id: numberOf(id), body: counted(bodyOf(pdf, id, numberOf)) });
  }
  return { objects, pages: pages.map((_, index) => first + index) };
}

function bodyOf(pdf: ReadPdf, id: number, numberOf: (id: number) => number): Buffer {
  const { value, stream } = pdf.object(id);
  // A page or a tree of pages would bring all other pages.
  if (value instanceof Map && isTree(value)) return Buffer.from("null");
  if (stream === undefined || !(value instanceof Map)) {
    return Buffer.from(writtenValue(value, numberOf), "latin1");
  }
  const dictionary = new Map(value).set("/Length", new PdfToken(String(stream.length)));
  for (const name of LEFT_OUT) dictionary.delete(name);
  const head = `${writtenValue(dictionary, numberOf)} stream\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), stream, Buffer.from("\nendstream")]);
}

function isTree(value: PdfDictionary): boolean {
  const type = value.get("/Type");
  return type instanceof PdfToken &&
    ["/Page", "/Pages", "/Catalog", "/StructTreeRoot"].includes(type.text);
}
