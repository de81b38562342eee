import type { InvoiceProfile, PageOptions } from "@posthaste/contracts";
import { InvoiceError } from "./_invoice_error.ts";
import { type CheckedInvoice, checkInvoice } from "./_check_invoice.ts";

/** A checked invoice as XML. */
export interface RenderedInvoice extends CheckedInvoice {
  xml: string;
  profile: InvoiceProfile;
}

/** A filled invoice, and the page options of its PDF. */
export interface FilledInvoice {
  /** Undefined if the template has none. */
  xml: string | undefined;
  page: PageOptions | undefined;
}

/**
 * Returns the invoice of a PDF, or `undefined` if it has none.
 *
 * @throws {InvoiceError} If it cannot be sent, or does not fit the page options.
 */
export async function pdfInvoice(
  { xml = "", page }: FilledInvoice,
): Promise<RenderedInvoice | undefined> {
  const hasXml = xml.trim() !== "";
  if (page?.invoice === undefined) {
    if (!hasXml) return undefined;
    throw new InvoiceError("the template has an invoice XML, but its page options name no profile");
  }
  if (!hasXml) {
    throw new InvoiceError("the page options name a profile, but the template has no invoice XML");
  }
  if (page.conformance !== "pdf/a-3b") {
    throw new InvoiceError("an invoice XML can only be attached to PDF/A-3b: set the page option");
  }
  const { invoice: profile } = page;
  return { xml, profile, ...await checkInvoice({ xml, profile }) };
}
