import type { Content, PdfInvoice, RenderedMessage } from "@posthaste/contracts";
import type { RenderedInvoice } from "@posthaste/templating";
import { pdfFilename } from "./pdf_filename.ts";
import type { RenderedPdf, Versions } from "./render_message.ts";

type PdfSource = RenderedMessage["pdfs"][number];

/** The texts of PDFs as they travel, in the order of `textsOfPdfs()`, and the versions of their templates. */
export interface PackedPdfs {
  contents: readonly Content[];
  versions: Pick<Versions, "pdfs">;
}

/** Returns the texts of PDFs: the HTML of each, and its invoice. */
export function textsOfPdfs(pdfs: readonly Pick<RenderedPdf, "html" | "invoice">[]): string[] {
  return pdfs.flatMap(({ html, invoice }) => invoice === undefined ? [html] : [html, invoice.xml]);
}

/** Returns PDFs as the printer expects them. */
export function pdfSources(
  pdfs: readonly Omit<RenderedPdf, "xml" | "values">[],
  { contents, versions }: PackedPdfs,
): PdfSource[] {
  let next = 0;
  return pdfs.flatMap(({ templateId, filename, invoice, encryption }): PdfSource[] => {
    const html = contents[next++];
    const xml = invoice === undefined ? undefined : contents[next++];
    const page = versions.pdfs.get(templateId)?.page;
    if (page === undefined || html === undefined) return [];
    const source = { templateId, filename: pdfFilename(filename), html, page };
    const locked = encryption === undefined ? {} : { encryption };
    return [{ ...source, ...attachedOf(invoice, xml), ...locked }];
  });
}

/** Returns an invoice as the printer expects it. */
export function attachedOf(
  invoice: RenderedInvoice | undefined,
  xml: Content | undefined,
): { invoice?: PdfInvoice } {
  if (invoice === undefined || xml === undefined) return {};
  const { profile, grandTotal, duePayable } = invoice;
  return { invoice: { xml, profile, grandTotal, duePayable } };
}
