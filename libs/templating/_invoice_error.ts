import { totalsDiffer } from "@posthaste/contracts";
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

/**
 * Returns the error of an invoice whose sums do not agree among themselves.
 *
 * @param others Ids of the other rules that it breaks
 */
export function sumsFault(reason: string, others: readonly string[]): InvoiceError {
  const more = others.length === 0 ? "" : ` (also broken: ${[...new Set(others)].join(", ")})`;
  return new InvoiceError(clipped(totalsDiffer(reason) + more, MAX_REASON));
}

/** Returns a text of the invoice in quotes, cut if it is long. */
export function quoted(text: string | undefined): string {
  return JSON.stringify(clipped(text ?? "", 100));
}
