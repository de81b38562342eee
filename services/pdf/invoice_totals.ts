import type { PageTotal } from "./print_page.ts";

/** The sums of an invoice, as in its XML. */
export interface InvoiceSums {
  grandTotal: string;
  duePayable: string;
}

interface Wanted {
  mark: "grand" | "due";
  field: string;
  sum: string;
}

const NUMBER = /[-\u2212]?\d(?:[\d.,'\u2019\s]*\d)?/g;

/** Digits, in groups or not. India has groups of two. */
const WHOLE = /^\d+$|^\d{1,3}(?:[.,'\u2019\s]\d{2,3})+$/;

/**
 * Returns why the page and the XML of an invoice disagree, or `undefined`. Each element with
 * `data-invoice-total` must show the sum that the attribute names: `grand`, which is also the meaning of an
 * empty attribute, or `due`. There must be one for the grand total, and one for the amount due if it differs.
 */
export function totalsFault(
  totals: readonly PageTotal[],
  { grandTotal, duePayable }: InvoiceSums,
): string | undefined {
  const grand: Wanted = { mark: "grand", field: "GrandTotalAmount", sum: grandTotal };
  const due: Wanted = { mark: "due", field: "DuePayableAmount", sum: duePayable };
  const isSame = centsOf(grandTotal) === centsOf(duePayable);
  for (const { mark, text } of totals) {
    const wanted = [grand, due].find((one) => one.mark === (mark || "grand"));
    if (wanted === undefined) {
      return `data-invoice-total="${cut(mark)}" is unknown: write "grand" or "due"`;
    }
    if (centsOf(text) === undefined || centsOf(text) !== centsOf(wanted.sum)) {
      return `the page has "${cut(text.replace(/\s+/g, " ").trim())}" ` +
        `(data-invoice-total="${wanted.mark}"), the invoice XML has ${sumText(wanted)}`;
    }
  }
  const lacking = [grand, ...isSame ? [] : [due]].find((one) =>
    !totals.some(({ mark }) => (mark || "grand") === one.mark)
  );
  return lacking && `the page has none ` +
      `(data-invoice-total="${lacking.mark}"), the invoice XML has ${sumText(lacking)}`;
}

/**
 * Returns the only number of a text in hundredths, or `undefined`. A point or a comma before one or two last
 * digits separates the decimals; all others, apostrophes and spaces separate groups.
 */
export function centsOf(text: string): bigint | undefined {
  const [number, ...others] = text.match(NUMBER) ?? [];
  if (number === undefined || others.length > 0) return undefined;
  const [, minus = "", digits = "", decimals = ""] =
    /^([-\u2212]?)(.*?)(?:[.,](\d{1,2}))?$/s.exec(number) ?? [];
  if (!WHOLE.test(digits)) return undefined;
  const cents = BigInt(digits.replace(/\D/g, "") + decimals.padEnd(2, "0"));
  return minus === "" ? cents : -cents;
}

function sumText({ field, sum }: Wanted): string {
  return `${sum} (${field})`;
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
