import type { ObjectStore } from "@posthaste/messaging";
import type { RenderedMessage } from "@posthaste/contracts";
import { failpoint } from "@posthaste/runtime";
import { count } from "@posthaste/telemetry";
import type { PdfBrowser } from "./browser.ts";
import type { Asker } from "./fair_slots.ts";
import { type JobInvoice, listMissingGlyphs, type PrintedPdf } from "./print_job.ts";
import { PrintError } from "./print_error.ts";
import { printMeasured } from "./print_measured.ts";
import { RecentPdfs } from "./recent_pdfs.ts";

/** The dependencies of a printer. */
export interface PrinterDeps {
  browser: Pick<PdfBrowser, "print">;
  pdfs: Pick<ObjectStore, "sizeOf" | "get" | "put">;
}

/** A PDF that a message requires. */
export interface Printing {
  /** SHA-256 of its source. */
  key: string;
  html: string;
  invoice: JobInvoice | undefined;
  append?: readonly Buffer[] | undefined;
  /** Creation time of the PDF. */
  madeAt: Date;
  pdf: RenderedMessage["pdfs"][number];
  asker: Asker;
}

/** Prints PDFs. Identical ones are printed once, as far as this process remembers. */
export interface Printer {
  /** Returns whether the same PDF was requested recently, and so probably will be again. */
  isKnown(printing: Pick<Printing, "key" | "asker">): boolean;
  /** @throws {PrintError} */
  print(printing: Printing, signal: AbortSignal): Promise<Buffer>;
  /**
   * Prints a PDF into the store unless it is there, and returns its size in bytes.
   *
   * @throws {PrintError}
   */
  store(printing: Printing, options: StoreOptions): Promise<number>;
  /**
   * Returns the characters without a glyph of a PDF that was printed or stored, if its message is to be marked:
   * `U+E123 in "Dear …"`. Empty if there are none.
   *
   * @throws {PrintError} If it has to be printed again, and that fails.
   */
  marksOf(printing: Printing, signal: AbortSignal): Promise<readonly string[]>;
}

/** How a PDF is stored. */
export interface StoreOptions {
  signal: AbortSignal;
  /** Whether to check the store in any case. */
  looks: boolean;
  /** The PDF, if it was printed. */
  bytes?: Buffer | undefined;
}

/** A PDF found in the store is assumed to be there for this time. */
const SURE_MS = 5000;
const MAX_SURE = 1000;
const MAX_MARKS = 1000;

/**
 * Opens a printer. Of concurrent prints of the same HTML the first runs and the others wait for it. None
 * waits for a print of the other priority, which may take long to start.
 */
export function openPrinter({ browser, pdfs }: PrinterDeps): Printer {
  const recent = new RecentPdfs();
  const printing = new Map<string, Promise<Buffer>>();
  const storing = new Map<string, Promise<number>>();
  const stored = new Map<string, { size: number; seenAt: number }>();
  const marks = new Map<string, readonly string[]>();
  const placeOf = ({ key, asker }: Pick<Printing, "key" | "asker">) => `${asker.priority} ${key}`;

  async function print(wanted: Printing, signal: AbortSignal): Promise<Buffer> {
    const printed = await printAllowed(wanted, signal, browser);
    if (isMarked(wanted.pdf)) noteMarks(wanted.key, printed.missingGlyphs);
    recent.add(wanted.key, printed.pdf);
    return printed.pdf;
  }

  function noteMarks(key: string, found: readonly string[] = []): readonly string[] {
    if (marks.size >= MAX_MARKS) marks.clear();
    marks.set(key, found);
    return found;
  }

  /** A PDF may be in the store from another process: what it lacks is in its bytes. */
  async function marksOf(wanted: Printing, signal: AbortSignal): Promise<readonly string[]> {
    const { key, html, pdf, append = [] } = wanted;
    if (!isMarked(pdf)) return [];
    const known = marks.get(key);
    if (known !== undefined) return known;
    if (pdf.encryption !== undefined || append.length > 0) {
      // Its pages cannot be read, or others are among them, which may have been made to keep a reader busy.
      await print(wanted, signal);
      return marks.get(key) ?? [];
    }
    const bytes = recent.get(key) ?? await pdfs.get(key);
    // If it is gone, it is printed again, and searched then.
    if (bytes === undefined) return [];
    return noteMarks(key, await listMissingGlyphs({ html, page: pdf.page }, Buffer.from(bytes)));
  }

  async function printOnce(wanted: Printing, signal: AbortSignal): Promise<Buffer> {
    const place = placeOf(wanted);
    const known = recent.get(wanted.key) ?? printing.get(place);
    count("posthaste.print.cache", 1, {
      "posthaste.outcome": known === undefined ? "miss" : "hit",
    });
    if (known !== undefined) return await known;
    const started = print(wanted, signal).finally(() => printing.delete(place));
    printing.set(place, started);
    return await started;
  }

  async function store(
    wanted: Printing,
    { signal, looks, bytes: printed }: StoreOptions,
  ): Promise<number> {
    const { key } = wanted;
    const seen = stored.get(key);
    const isSure = !looks && seen !== undefined && performance.now() - seen.seenAt < SURE_MS;
    if (isSure) return seen.size;
    let size = await pdfs.sizeOf(key);
    if (size === undefined) {
      const bytes = printed ?? await printOnce(wanted, signal);
      await pdfs.put(key, bytes);
      failpoint("pdf.after_store");
      size = bytes.length;
    }
    if (stored.size >= MAX_SURE) stored.clear();
    stored.set(key, { size, seenAt: performance.now() });
    return size;
  }

  async function storeOnce(wanted: Printing, options: StoreOptions): Promise<number> {
    const place = placeOf(wanted);
    const running = storing.get(place);
    if (running !== undefined) return await running;
    const started = store(wanted, options).finally(() => storing.delete(place));
    storing.set(place, started);
    return await started;
  }

  return {
    isKnown: (wanted) =>
      recent.get(wanted.key) !== undefined || printing.has(placeOf(wanted)) ||
      stored.has(wanted.key),
    print: printOnce,
    store: storeOnce,
    marksOf,
  };
}

/**
 * Prints a PDF that loads no more than its page allows.
 *
 * @throws {PrintError}
 */
async function printAllowed(
  { html, invoice, append, madeAt, pdf, asker: { accountId, priority } }: Printing,
  signal: AbortSignal,
  browser: PrinterDeps["browser"],
): Promise<PrintedPdf> {
  const { filename: name, page, encryption } = pdf;
  const printed = await printMeasured(
    browser,
    {
      ...{ name, html, page, invoice, encryption, append, madeAt },
      listsMissingGlyphs: isMarked(pdf),
    },
    { signal, asker: { accountId, priority } },
  );
  if (page.missing === "leave_out" || printed.blocked.length === 0) return printed;
  throw new PrintError({ name, code: "blocked", reason: blockedReason(printed.blocked) });
}

function isMarked({ page }: Printing["pdf"]): boolean {
  return page.missingGlyphs === "mark";
}

function blockedReason(blocked: readonly string[]): string {
  const listed = blocked.slice(0, 10).map((url) => url.slice(0, 200)).join(", ");
  const more = blocked.length > 10 ? " and more" : "";
  return `it loads resources that are not allowed: ${listed}${more}`;
}
