import { type PageOptions, type PdfEncryption, totalsDiffer } from "@posthaste/contracts";
import { PdfFault } from "@posthaste/assets";
import { appendPages } from "./append_pages.ts";
import { archiveLimitFault } from "./archive_limits.ts";
import { encryptedPdf } from "./encrypt_pdf.ts";
import { neutralize } from "./neutral_pdf.ts";
import { pageCss } from "./page_css.ts";
import { type InvoiceSums, totalsFault } from "./invoice_totals.ts";
import { missingCharacters } from "./missing_characters.ts";
import { findMissingGlyphs } from "./missing_glyphs.ts";
import { archived, type AttachedInvoice } from "./pdf_archive.ts";
import { authoredInfo } from "./pdf_author.ts";
import { PdfUpdate } from "./pdf_update.ts";
import { type PageSize, pageSizeOf } from "./page_size.ts";
import { printDocument } from "./print_document.ts";
import { PrintError } from "./print_error.ts";
import type { Printed, PrintOrder } from "./print_page.ts";

/** A document to be printed. */
export interface PrintJob {
  /** Name in the log and in errors. */
  name: string;
  html: string;
  page: PageOptions;
  /** Creation time of the PDF. @default 1970 */
  madeAt?: Date;
  /** Attached to a PDF/A-3b. Its sums must be those of the page. */
  invoice?: JobInvoice | undefined;
  /** Required if the page options name a variable with a password. */
  encryption?: PdfEncryption | undefined;
  /** PDFs whose pages follow. Required if the page options name some. */
  append?: readonly Buffer[] | undefined;
  /** Whether to list the characters without a glyph, although they are no failure. @default {false} */
  listsMissingGlyphs?: boolean;
  /** Whether to list fonts that the browser refused. @default {false} */
  listsFonts?: boolean;
}

/** An invoice as XML, and its sums. */
export type JobInvoice = AttachedInvoice & InvoiceSums;

/** A PDF. */
export interface PrintedPdf {
  /** Its bytes: the same for the same source and engine. */
  pdf: Buffer;
  pages: number;
  /** Refused addresses that the document wanted to load, at most 20. */
  blocked: string[];
  /** Characters without a glyph, such as `U+E123 in "Dear …"`; missing if there are none, or not listed. */
  missingGlyphs?: string[];
  /** Families of the document's own fonts that the browser refused; missing if there are none, or not listed. */
  brokenFonts?: string[];
}

/** Maximum sizes of a document. */
export interface PrintLimits {
  /** Of the HTML, in UTF-8. */
  htmlBytes: number;
  pages: number;
  pdfBytes: number;
  /** Of the browser's process that prints it. */
  memoryBytes: number;
}

/** 4 MB of HTML, 500 pages, 10 MB of PDF, 1 GB of memory. */
export const PRINT_LIMITS: PrintLimits = {
  htmlBytes: 4 * 1024 * 1024,
  pages: 500,
  pdfBytes: 10_000_000,
  memoryBytes: 1024 ** 3,
};

/** Frames may load nothing and show nothing, but refusing each takes time. */
const MAX_FRAMES = 100;

const FRAME = /<(?:i?frame|object|embed|fencedframe)(?![a-z0-9-])/gi;

/**
 * Returns the order for the browser.
 *
 * @throws {PrintError} `too_large` for too much HTML or too many frames, `invalid` for impossible
 * page options, or if the password or the PDFs are missing that they require.
 */
export function orderOf(job: PrintJob, limits: PrintLimits): PrintOrder {
  const bytes = Buffer.byteLength(job.html);
  if (bytes > limits.htmlBytes) {
    throw tooLarge(job, `the HTML has ${bytes} bytes, more than ${limits.htmlBytes}`);
  }
  if ((job.html.match(FRAME)?.length ?? 0) > MAX_FRAMES) {
    throw tooLarge(job, `it has more than ${MAX_FRAMES} frames`);
  }
  const fault = passwordFault(job) ?? appendFault(job);
  if (fault !== undefined) throw new PrintError({ name: job.name, code: "invalid", reason: fault });
  const size = sizeOf(job);
  return {
    document: printDocument(job.html, {
      css: pageCss(job.page, size),
      language: job.page.language,
    }),
    size,
    tagged: job.page.tagged === true,
    outline: job.page.outline === true,
    listsFonts: job.listsFonts === true && /@font-face/i.test(job.html),
    readsTotals: job.invoice !== undefined,
    background: job.page.background,
    // One more than allowed, to detect that there are more.
    lastPage: limits.pages + 1,
  };
}

/**
 * Returns the result for the caller.
 *
 * @throws {PrintError} `too_large` for too many pages or too large a PDF, `invalid` for a document that
 * cannot be PDF/A, `totals_differ` if the page and the XML of an invoice disagree, `missing_glyphs` if a
 * character has no glyph and the page options forbid that.
 */
export async function resultOf(
  job: PrintJob,
  printed: Printed,
  limits: PrintLimits,
): Promise<PrintedPdf> {
  const { pdf, pages, blocked, brokenFonts } = printed;
  const fonts = brokenFonts.length === 0 ? {} : { brokenFonts: [...new Set(brokenFonts)] };
  if (pages > limits.pages) throw tooLarge(job, `it has more than ${limits.pages} pages`);
  checkSize(job, pdf, limits);
  const madeAt = job.madeAt ?? new Date(0);
  neutralize(pdf, madeAt);
  const fault = job.invoice && totalsFault(printed.totals, job.invoice);
  if (fault !== undefined) {
    const reason = totalsDiffer(fault);
    throw new PrintError({ name: job.name, code: "totals_differ", reason });
  }
  const { author, conformance } = job.page;
  const missingGlyphs = await missingOf(job, pdf);
  if (conformance === undefined) {
    const { open, appended } = extended(job, pdf);
    const whole = job.encryption === undefined ? open : encryptedPdf(open, job.encryption);
    checkSize(job, whole, limits);
    return {
      ...{ pdf: whole, pages: pages + appended, blocked },
      ...(missingGlyphs === undefined ? {} : { missingGlyphs }),
      ...fonts,
    };
  }
  checkArchiveLimits(job, pdf);
  const whole = await archived(pdf, { author, madeAt, invoice: job.invoice });
  checkSize(job, whole, limits);
  return { pdf: whole, pages, blocked, ...fonts };
}

/** Returns the characters of a printed PDF without a glyph; undefined if there are none. */
export async function listMissingGlyphs(
  { html, page: { header, footer } }: Pick<PrintJob, "html" | "page">,
  pdf: Buffer,
): Promise<string[] | undefined> {
  const found = await findMissingGlyphs(pdf);
  if (found === undefined) return undefined;
  const bands = [header, footer].flatMap((band) => Object.values(band ?? {}))
    .filter((text) => text !== undefined);
  return missingCharacters(found, [html, ...bands]);
}

/**
 * Returns the characters without a glyph, if the job asks for them.
 *
 * @throws {PrintError} If it allows none.
 */
async function missingOf(job: PrintJob, pdf: Buffer): Promise<string[] | undefined> {
  const { conformance, missingGlyphs } = job.page;
  const fails = missingGlyphs === "fail" || conformance !== undefined;
  if (!fails && job.listsMissingGlyphs !== true) return undefined;
  const missing = await listMissingGlyphs(job, pdf);
  if (!fails || missing === undefined) return missing;
  const code = "missing_glyphs";
  const rule = conformance === undefined ? "" : ", and PDF/A requires one for every character";
  // The code is in the text, too: that is all that a message keeps of its failure.
  const reason = `no font has a glyph (${code})${rule}: ${missing.join(", ")}`;
  throw new PrintError({ name: job.name, code, reason });
}

/** Returns why a document cannot have the password that it should have. Without it, anybody could read the PDF. */
function passwordFault({ page, encryption }: PrintJob): string | undefined {
  if (page.passwordVariable !== undefined && encryption === undefined) {
    return "it must have a password, but came without one";
  }
  const isArchived = page.conformance !== undefined && encryption !== undefined;
  return isArchived ? "PDF/A forbids passwords" : undefined;
}

/** Adds author and appended pages to a printed PDF. Of a PDF without them, the bytes stay. */
function extended(
  { name, page: { author }, append = [] }: PrintJob,
  pdf: Buffer,
): { open: Buffer; appended: number } {
  if (author === undefined && append.length === 0) return { open: pdf, appended: 0 };
  const update = new PdfUpdate(pdf);
  if (author !== undefined) update.replace(update.info, authoredInfo(update, author));
  try {
    const appended = append.length === 0 ? 0 : appendPages(update, append);
    return { open: update.finish(), appended };
  } catch (error) {
    if (!(error instanceof PdfFault)) throw error;
    const reason = `a PDF cannot be appended: ${error.message}`;
    throw new PrintError({ name, code: "invalid", reason, cause: error });
  }
}

function appendFault({ page, append = [] }: PrintJob): string | undefined {
  const wanted = page.append?.length ?? 0;
  if (wanted !== append.length) {
    return `${wanted} PDFs are to be appended, but it came with ${append.length}`;
  }
  return wanted > 0 && page.conformance !== undefined
    ? "appended pages may break the rules of PDF/A"
    : undefined;
}

function checkSize(job: PrintJob, pdf: Buffer, { pdfBytes }: PrintLimits): void {
  if (pdf.length <= pdfBytes) return;
  throw tooLarge(job, `the PDF has ${pdf.length} bytes, more than ${pdfBytes}`);
}

function checkArchiveLimits({ name }: PrintJob, pdf: Buffer): void {
  const fault = archiveLimitFault(pdf);
  if (fault === undefined) return;
  throw new PrintError({ name, code: "invalid", reason: `it cannot be PDF/A: ${fault}` });
}

function sizeOf(job: PrintJob): PageSize {
  try {
    return pageSizeOf(job.page);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PrintError({ name: job.name, code: "invalid", reason, cause });
  }
}

function tooLarge(job: PrintJob, reason: string): PrintError {
  return new PrintError({ name: job.name, code: "too_large", reason });
}
