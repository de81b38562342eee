import assert from "node:assert/strict";
import type { InvoiceProfile } from "@posthaste/contracts";
import { checkInvoice } from "./_check_invoice.ts";
import { InvoiceError } from "./_invoice_error.ts";

/** Returns why an invoice is refused; an empty text if it is not. */
export async function reasonOf(xml: string, profile: InvoiceProfile): Promise<string> {
  try {
    await checkInvoice({ xml, profile });
    return "";
  } catch (error) {
    assert.ok(error instanceof InvoiceError, String(error));
    return error.message;
  }
}
