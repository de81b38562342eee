import type { Content, PdfInvoice } from "@posthaste/contracts";
import type { JobInvoice } from "./print_job.ts";

/** The source of a PDF was not found. */
export class MissingContentError extends Error {
  override readonly name = "MissingContentError";
}

/**
 * Returns a text that may lie in the object store.
 *
 * @throws {MissingContentError}
 */
export async function textOf(
  content: Content,
  loadContent: (key: string) => Promise<string | undefined>,
): Promise<string> {
  if ("inline" in content) return content.inline;
  const text = await loadContent(content.key);
  if (text === undefined) throw new MissingContentError(`Cannot find content "${content.key}"`);
  return text;
}

/**
 * Returns the PDFs that are appended.
 *
 * @throws {MissingContentError}
 */
export async function loadAppended(
  append: readonly Content[] | undefined,
  loadContent: (key: string) => Promise<string | undefined>,
): Promise<Buffer[] | undefined> {
  if (append === undefined) return undefined;
  const texts = await Promise.all(append.map((content) => textOf(content, loadContent)));
  return texts.map((text) => Buffer.from(text, "base64"));
}

/**
 * Returns an invoice with its text.
 *
 * @throws {MissingContentError}
 */
export async function loadInvoice(
  invoice: PdfInvoice | undefined,
  loadContent: (key: string) => Promise<string | undefined>,
): Promise<JobInvoice | undefined> {
  if (invoice === undefined) return undefined;
  return { ...invoice, xml: await textOf(invoice.xml, loadContent) };
}
