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
  const text = await poppler("pdftotext", ["-", "-"], bytes);
  return text === undefined ? undefined : { pages: text.split("\f").slice(0, -1) };
}

/** Returns the sizes of the images in a PDF, `40 x 30`; `undefined` where poppler is not installed. */
export async function imagesByPoppler(bytes: Uint8Array): Promise<string[] | undefined> {
  const list = await poppler("pdfimages", ["-list", "-"], bytes);
  return list?.trim().split("\n").slice(2).map((line) => {
    const [, , , width, height] = line.trim().split(/\s+/);
    return `${width} x ${height}`;
  });
}

/** Returns a line for each font of a PDF, as `pdffonts` writes it; `undefined` where poppler is not installed. */
export async function fontsByPoppler(bytes: Uint8Array): Promise<string[] | undefined> {
  return (await poppler("pdffonts", ["-"], bytes))?.trim().split("\n").slice(2);
}

async function poppler(
  program: string,
  args: string[],
  bytes: Uint8Array,
): Promise<string | undefined> {
  const running = promisify(execFile)(program, args);
  const { stdin } = running.child;
  stdin?.on("error", () => {});
  stdin?.end(bytes);
  try {
    return (await running).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
