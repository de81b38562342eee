import { InvoiceError, pdfInvoice } from "@posthaste/templating";
import { appendedPdfs, AppendError } from "./appended_pdfs.ts";
import { pdfEncryption } from "./pdf_encryption.ts";
import { PasswordError, passwordIn } from "./pdf_password.ts";
import type { RenderedPdf, RenderResult, Versions } from "./render_message.ts";

/**
 * Checks the invoices of a message's PDFs, makes the keys of those with a password, and adds the PDFs that are
 * appended. If an invoice cannot be sent, or something is missing, the message fails.
 */
export async function finishPdfs(
  message: RenderResult,
  versions: Pick<Versions, "pdfs" | "images">,
): Promise<RenderResult> {
  if (!message.ok) return message;
  const pdfs: typeof message.pdfs = [];
  for (const pdf of message.pdfs) {
    try {
      pdfs.push(await finished(pdf, versions));
    } catch (error) {
      if (!FAULTS.some((fault) => error instanceof fault) || !(error instanceof Error)) throw error;
      const reason = `PDF template ${pdf.templateId}: ${error.message}`;
      return { ok: false, reason, outage: false };
    }
  }
  return { ...message, pdfs };
}

const FAULTS = [InvoiceError, PasswordError, AppendError];

/** @throws {InvoiceError | PasswordError | AppendError} */
async function finished(
  { xml, values = {}, ...pdf }: RenderedPdf,
  { pdfs, images }: Pick<Versions, "pdfs" | "images">,
): Promise<RenderedPdf> {
  const version = pdfs.get(pdf.templateId);
  const append = appendedPdfs(version?.page, images?.get(pdf.templateId));
  const invoice = await pdfInvoice({ xml, page: version?.page });
  const path = version?.page.passwordVariable;
  const encryption = version === undefined || path === undefined
    ? undefined
    : pdfEncryption({ scope: version._id, password: passwordIn(values, path) });
  return {
    ...pdf,
    ...(invoice === undefined ? {} : { invoice }),
    ...(encryption === undefined ? {} : { encryption }),
    ...(append.length === 0 ? {} : { append }),
  };
}
