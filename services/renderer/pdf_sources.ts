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

/** Returns the texts of PDFs: the HTML of each, its invoice, and the PDFs that are appended. */
export function textsOfPdfs(
  pdfs: readonly Pick<RenderedPdf, "html" | "invoice" | "append">[],
): string[] {
  return pdfs.flatMap(({ html, invoice, append = [] }) =>
    invoice === undefined ? [html, ...append] : [html, invoice.xml, ...append]
  );
}

/** Returns PDFs as the printer expects them. */
export function pdfSources(
  pdfs: readonly Omit<RenderedPdf, "xml" | "values">[],
  { contents, versions }: PackedPdfs,
): PdfSource[] {
  let next = 0;
  return pdfs.flatMap(({ templateId, filename, invoice, encryption, append = [] }): PdfSource[] => {
    const html = contents[next++];
    const xml = invoice === undefined ? undefined : contents[next++];
    const appended = contents.slice(next, next += append.length);
    const page = versions.pdfs.get(templateId)?.page;
    if (page === undefined || html === undefined) return [];
    const source = { templateId, filename: pdfFilename(filename), html, page };
    const locked = encryption === undefined ? {} : { encryption };
    const more = appended.length === 0 ? {} : { append: appended };
    return [{ ...source, ...attachedOf(invoice, xml), ...locked, ...more }];
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
