import { clipped } from "./_clipped.ts";

/** An invoice cannot be sent. The message is a reason for its author, without a final period. */
export class InvoiceError extends Error {
  override readonly name = "InvoiceError";
}

const MAX_REASON = 500;

/** Returns the error of an invoice, for a reason that may quote long texts. */
export function fault(reason: string): InvoiceError {
  return new InvoiceError(clipped(`the invoice XML cannot be used: ${reason}`, MAX_REASON));
}

/** Returns a text of the invoice in quotes, cut if it is long. */
export function quoted(text: string | undefined): string {
  return JSON.stringify(clipped(text ?? "", 100));
}
