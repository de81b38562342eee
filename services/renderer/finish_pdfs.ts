import { InvoiceError, pdfInvoice } from "@posthaste/templating";
import { pdfEncryption } from "./pdf_encryption.ts";
import { PasswordError, passwordIn } from "./pdf_password.ts";
import type { RenderedMessage, RenderedPdf, Versions } from "./render_message.ts";

/**
 * Checks the invoices of a message's PDFs, and makes the keys of those with a password. If an invoice cannot be
 * sent, or a password is missing, the message fails.
 */
export async function finishPdfs(
  message: RenderedMessage,
  { pdfs: versions }: Pick<Versions, "pdfs">,
): Promise<RenderedMessage> {
  if (!message.ok) return message;
  const pdfs: typeof message.pdfs = [];
  for (const pdf of message.pdfs) {
    try {
      pdfs.push(await finished(pdf, versions));
    } catch (error) {
      if (!(error instanceof InvoiceError) && !(error instanceof PasswordError)) throw error;
      const reason = `PDF template ${pdf.templateId}: ${error.message}`;
      return { ok: false, reason, outage: false };
    }
  }
  return { ...message, pdfs };
}

/** @throws {InvoiceError | PasswordError} */
async function finished(
  { xml, values = {}, ...pdf }: RenderedPdf,
  versions: Versions["pdfs"],
): Promise<RenderedPdf> {
  const version = versions.get(pdf.templateId);
  const invoice = await pdfInvoice({ xml, page: version?.page });
  const path = version?.page.passwordVariable;
  const encryption = version === undefined || path === undefined
    ? undefined
    : pdfEncryption({ scope: version._id, password: passwordIn(values, path) });
  return {
    ...pdf,
    ...(invoice === undefined ? {} : { invoice }),
    ...(encryption === undefined ? {} : { encryption }),
  };
}
