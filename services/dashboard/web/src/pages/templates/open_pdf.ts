import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist";

GlobalWorkerOptions.workerSrc =
  new URL("pdfjs-dist/build/pdf.worker.min.mjs", import.meta.url).href;

/**
 * Fetches a PDF and opens it for reading. The caller must call `destroy` on its loading task.
 *
 * @throws {Error} If it cannot be fetched or read.
 */
export async function openPdf(address: string, signal: AbortSignal): Promise<PDFDocumentProxy> {
  const response = await fetch(address, { signal, credentials: "same-origin" });
  if (!response.ok) {
    throw new Error(
      response.status === 404
        ? "The PDF has expired. Change the template, or reload the page"
        : `Cannot load the PDF: the dashboard returned ${response.status}`,
    );
  }
  const data = new Uint8Array(await response.arrayBuffer());
  // The page's own policy forbids code that is compiled at run time, and nothing here needs it.
  return await getDocument({ data, useWasm: false, enableXfa: false }).promise;
}
