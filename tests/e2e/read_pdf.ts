import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { extractText, getDocumentProxy } from "unpdf";

/** The text of a PDF. */
export interface PdfText {
  /** Text of each page. */
  pages: string[];
}

/** Reads a PDF with PDF.js. */
export async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  // PDF.js takes the buffer over.
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: false });
  return { pages: text };
}

/** Reads a PDF with poppler's `pdftotext`; `undefined` where that is not installed. */
export async function readPdfByPoppler(bytes: Uint8Array): Promise<PdfText | undefined> {
  const running = promisify(execFile)("pdftotext", ["-", "-"]);
  const { stdin } = running.child;
  stdin?.on("error", () => {});
  stdin?.end(bytes);
  try {
    const { stdout } = await running;
    return { pages: stdout.split("\f").slice(0, -1) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
