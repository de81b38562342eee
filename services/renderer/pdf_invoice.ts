import { InvoiceError, pdfInvoice } from "@posthaste/templating";
import type { RenderedMessage, Versions } from "./render_message.ts";

/** Checks the invoices of a message's PDFs. With one that cannot be sent, the message fails. */
export async function withInvoices(
  message: RenderedMessage,
  { pdfs: versions }: Pick<Versions, "pdfs">,
): Promise<RenderedMessage> {
  if (!message.ok) return message;
  const pdfs: typeof message.pdfs = [];
  for (const { xml, ...pdf } of message.pdfs) {
    const page = versions.get(pdf.templateId)?.page;
    try {
      const invoice = await pdfInvoice({ xml, page });
      pdfs.push(invoice === undefined ? pdf : { ...pdf, invoice });
    } catch (error) {
      if (!(error instanceof InvoiceError)) throw error;
      const reason = `PDF template ${pdf.templateId}: ${error.message}`;
      return { ok: false, reason, outage: false };
    }
  }
  return { ...message, pdfs };
}
