import { type Decimal, decimalOf } from "./_decimal.ts";
import { fault, quoted } from "./_invoice_error.ts";
import type { ReadGroup, ReadInvoice } from "./_invoice_reading.ts";
import {
  ALLOWANCES,
  COLLECTED,
  CURRENCY,
  LINE_STATUS,
  LINE_TOTAL,
  LINES,
  LOGISTICS,
  SUM_PATHS,
  TAX_TOTALS,
  TAXES,
} from "./_invoice_rules.ts";

/** The amounts in the summary of an invoice (BG-22) that exist at most once. */
export type SummaryAmount =
  | "LineTotalAmount"
  | "AllowanceTotalAmount"
  | "ChargeTotalAmount"
  | "TaxBasisTotalAmount"
  | "GrandTotalAmount"
  | "TotalPrepaidAmount"
  | "RoundingAmount"
  | "DuePayableAmount";

/** Amounts of the same kind, added up. */
export interface Added {
  sum: Decimal;
  count: bigint;
}

/** The tax of one category and rate (BG-23). */
export interface Breakdown {
  /** Line of the filled XML. */
  line: number;
  isVat: boolean;
  basis: Decimal;
  calculated: Decimal;
  /** In per cent. */
  rate: Decimal | undefined;
}

/** The amounts of an invoice that must agree. */
export interface InvoiceAmounts {
  /** Of the invoice: `InvoiceCurrencyCode`. */
  currency: string;
  summary: Readonly<Partial<Record<SummaryAmount, Decimal>>>;
  /** `TaxTotalAmount` in the currency of the invoice; `undefined` if there is none. */
  taxTotal: Decimal | undefined;
  /** Lines that only group others, or inform, are not among them. */
  lines: Added;
  /** How many lines there are of any kind. */
  lineCount: bigint;
  allowances: Added;
  /** With those of logistics, which only EXTENDED has. */
  charges: Added;
  /** Collected for others: `SpecifiedFinancialAdjustment`, which only EXTENDED has. */
  collected: Added;
  taxes: readonly Breakdown[];
}

/**
 * Returns the amounts of an invoice, of which those in the summary are numbers.
 *
 * @throws {InvoiceError} If another one is none, or there are two taxes in the currency of the invoice.
 */
export function amountsOf({ texts, groups }: ReadInvoice): InvoiceAmounts {
  const all = ({ path }: { path: string }) => groups.get(path) ?? [];
  const currency = texts.get(CURRENCY) ?? "";
  const counted = all(LINES).filter(({ texts }) =>
    ["", "DETAIL"].includes(texts.get(LINE_STATUS) ?? "")
  );
  const charges = all(ALLOWANCES).filter(isCharge(true)).map(amountIn("ActualAmount"));
  return {
    currency,
    summary: summaryOf(texts),
    taxTotal: taxTotalIn(currency, all(TAX_TOTALS)),
    lines: added(counted.map(amountIn(LINE_TOTAL))),
    lineCount: BigInt(all(LINES).length),
    allowances: added(all(ALLOWANCES).filter(isCharge(false)).map(amountIn("ActualAmount"))),
    charges: added([...charges, ...all(LOGISTICS).map(amountIn("AppliedAmount"))]),
    collected: added(all(COLLECTED).map(amountIn("ActualAmount"))),
    taxes: all(TAXES).map(breakdownOf),
  };
}

function summaryOf(texts: ReadonlyMap<string, string>): InvoiceAmounts["summary"] {
  const found = SUM_PATHS.map((path) => {
    const sum = decimalOf(texts.get(path) ?? "");
    return [path.slice(path.lastIndexOf("/") + 1), sum] as const;
  });
  return Object.fromEntries(found.filter(([, sum]) => sum !== undefined));
}

function taxTotalIn(currency: string, totals: readonly ReadGroup[]): Decimal | undefined {
  const [own, ...others] = totals.filter(({ texts }) => texts.get("@currencyID") === currency);
  if (others.length > 0) throw fault(`it has two of ${TAX_TOTALS.path} in ${quoted(currency)}`);
  return own && amountIn("")(own);
}

function breakdownOf(group: ReadGroup): Breakdown {
  const { line, texts } = group;
  const rate = "RateApplicablePercent";
  return {
    line,
    isVat: texts.get("TypeCode")?.toUpperCase() === "VAT",
    basis: amountIn("BasisAmount")(group),
    calculated: amountIn("CalculatedAmount")(group),
    rate: texts.has(rate) ? amountIn(rate)(group) : undefined,
  };
}

function isCharge(wanted: boolean): (group: ReadGroup) => boolean {
  const values = wanted ? ["true", "1"] : ["false", "0"];
  return ({ texts }) => values.includes(texts.get("ChargeIndicator/Indicator") ?? "");
}

/** @throws {InvoiceError} From the returned function: if the amount is no number. */
function amountIn(name: string): (group: ReadGroup) => Decimal {
  return ({ path, line, texts }) => {
    const text = texts.get(name);
    if (text === undefined) return 0n;
    const amount = decimalOf(text);
    if (amount !== undefined) return amount;
    const whole = name === "" ? path : `${path}/${name}`;
    throw fault(
      `${whole} in line ${line} of the filled XML is ${quoted(text)}, not a number such as 119.00`,
    );
  };
}

function added(amounts: readonly Decimal[]): Added {
  return { sum: amounts.reduce((sum, one) => sum + one, 0n), count: BigInt(amounts.length) };
}
