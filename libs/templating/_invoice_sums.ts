import type { InvoiceProfile } from "@posthaste/contracts";
import { centsOf, centsText, type Decimal, decimalText, percentOf } from "./_decimal.ts";
import type { InvoiceAmounts } from "./_invoice_amounts.ts";

/** A rule about sums that an invoice breaks. */
export interface BrokenSum {
  /** Id of the rule in EN 16931 or Factur-X. */
  id: string;
  /** Both numbers, and what to change, without a final period. */
  message: string;
}

/** An amount, and what it must be. In hundredths. */
interface Comparison {
  /** `undefined` if it is not in the invoice, and counts as 0. */
  stated: bigint | undefined;
  computed: bigint;
  /** How much they may differ. @default 0n */
  tolerance?: bigint;
  /** Where the amount is, if there may be several. */
  place?: string;
  /** What is computed, if it differs from the rule's own. */
  formula?: string;
}

interface SumRule {
  id: string;
  profiles: readonly InvoiceProfile[];
  /** The element whose amount is compared. */
  amount: string;
  /** What it is compared with. */
  formula: string;
  remedy: string;
  compare(amounts: InvoiceAmounts): readonly Comparison[];
}

/** The rules of EN 16931. BASIC WL is checked without those about lines. */
const WITH_LINES: readonly InvoiceProfile[] = ["basic", "en16931"];
const WITH_TAXES: readonly InvoiceProfile[] = ["basic_wl", ...WITH_LINES];
/** Has rules of its own, by which sums may differ by a cent for each amount that was added. */
const EXTENDED: readonly InvoiceProfile[] = ["extended"];

const LINES: SumRule = {
  id: "BR-CO-10",
  profiles: WITH_LINES,
  amount: "LineTotalAmount",
  formula: "the sum of LineTotalAmount of the lines",
  remedy: 'add up the rounded amounts, as {{ sum lines "quantity" "price" round=2 }} does',
  compare: ({ summary, lines }) => [
    { stated: inCents(summary.LineTotalAmount), computed: centsOf(lines.sum) },
  ],
};

const ALLOWANCES: SumRule = {
  id: "BR-CO-11",
  profiles: WITH_TAXES,
  amount: "AllowanceTotalAmount",
  formula: "the sum of ActualAmount of the allowances",
  remedy: "add up each SpecifiedTradeAllowanceCharge of the invoice whose Indicator is false",
  compare: ({ summary, allowances }) => [
    { stated: inCents(summary.AllowanceTotalAmount), computed: centsOf(allowances.sum) },
  ],
};

const CHARGES: SumRule = {
  id: "BR-CO-12",
  profiles: WITH_TAXES,
  amount: "ChargeTotalAmount",
  formula: "the sum of ActualAmount of the charges",
  remedy: "add up each SpecifiedTradeAllowanceCharge of the invoice whose Indicator is true",
  compare: ({ summary, charges }) => [
    { stated: inCents(summary.ChargeTotalAmount), computed: centsOf(charges.sum) },
  ],
};

const BASIS: SumRule = {
  id: "BR-CO-13",
  profiles: WITH_TAXES,
  amount: "TaxBasisTotalAmount",
  formula: "LineTotalAmount - AllowanceTotalAmount + ChargeTotalAmount",
  remedy: "subtract the allowances from the sum of the lines, and add the charges",
  compare: ({ summary }) => [{
    stated: inCents(summary.TaxBasisTotalAmount),
    computed: centsOf(
      (summary.LineTotalAmount ?? 0n) - (summary.AllowanceTotalAmount ?? 0n) +
        (summary.ChargeTotalAmount ?? 0n),
    ),
  }],
};

const TAX: SumRule = {
  id: "BR-CO-14",
  profiles: [...WITH_TAXES, ...EXTENDED],
  amount: "TaxTotalAmount",
  formula: "the sum of CalculatedAmount of the taxes",
  remedy: "add up the rounded taxes, and write the currency of the invoice as currencyID",
  compare: ({ taxTotal, taxes }) => [{
    stated: inCents(taxTotal),
    computed: centsOf(taxes.reduce((sum, { calculated }) => sum + calculated, 0n)),
  }],
};

const GRAND_TOTAL: SumRule = {
  id: "BR-CO-15",
  profiles: WITH_TAXES,
  amount: "GrandTotalAmount",
  formula: "TaxBasisTotalAmount + TaxTotalAmount",
  remedy: "add the tax to the amount without tax",
  compare: ({ summary, taxTotal, currency }) => [{
    stated: inCents(summary.GrandTotalAmount),
    computed: centsOf((summary.TaxBasisTotalAmount ?? 0n) + (taxTotal ?? 0n)),
    ...(taxTotal === undefined
      ? { formula: `TaxBasisTotalAmount without a TaxTotalAmount in ${currency}` }
      : {}),
  }],
};

const DUE: SumRule = {
  id: "BR-CO-16",
  profiles: WITH_TAXES,
  amount: "DuePayableAmount",
  formula: "GrandTotalAmount - TotalPrepaidAmount + RoundingAmount",
  remedy: "subtract what was paid from the total, and add the rounding",
  compare: ({ summary, collected }) => [{
    stated: inCents(summary.DuePayableAmount),
    computed: centsOf(
      (summary.GrandTotalAmount ?? 0n) - (summary.TotalPrepaidAmount ?? 0n) +
        (summary.RoundingAmount ?? 0n) + collected.sum,
    ),
  }],
};

const RATES: SumRule = {
  id: "BR-CO-17",
  profiles: WITH_TAXES,
  amount: "CalculatedAmount",
  formula: "RateApplicablePercent of BasisAmount",
  remedy: "multiply the basis by the rate, and round it to two places",
  compare: ({ taxes }) =>
    taxes.filter(({ isVat }) => isVat).map(({ line, basis, calculated, rate = 0n }) => ({
      stated: centsOf(calculated),
      computed: centsOf(percentOf(basis, rate)),
      formula: `${decimalText(rate)} % of BasisAmount (${centsText(centsOf(basis))})`,
      // As the official rules do: the tax may be the sum of rounded taxes of lines.
      tolerance: rate === 0n ? 49n : 100n,
      place: ` in line ${line} of the filled XML`,
    })),
};

const BASIS_OF_EXTENDED: SumRule = {
  ...BASIS,
  formula: "the sum of the lines - the sum of the allowances + the sum of the charges",
  compare: ({ summary, lines, allowances, charges }) => [{
    stated: inCents(summary.TaxBasisTotalAmount),
    computed: centsOf(lines.sum) - centsOf(allowances.sum) + centsOf(charges.sum),
  }],
};

const DUE_OF_EXTENDED: SumRule = {
  ...DUE,
  formula: `${DUE.formula} + ActualAmount of SpecifiedFinancialAdjustment`,
};

/** The rules, in the order in which sums depend on each other. */
const RULES: readonly SumRule[] = [
  LINES,
  extended(LINES, ({ lineCount }) => lineCount),
  ALLOWANCES,
  extended(ALLOWANCES, ({ allowances }) => allowances.count),
  CHARGES,
  extended(CHARGES, ({ charges }) => charges.count),
  BASIS,
  extended(BASIS_OF_EXTENDED, summands),
  TAX,
  GRAND_TOTAL,
  extended(GRAND_TOTAL, (amounts) => amounts.taxTotal === undefined ? 0n : summands(amounts)),
  // Its tax need not be there, and nothing else can be compared.
  {
    ...GRAND_TOTAL,
    profiles: ["minimum"],
    compare: (amounts) => amounts.taxTotal === undefined ? [] : GRAND_TOTAL.compare(amounts),
  },
  DUE,
  extended(DUE_OF_EXTENDED, () => 0n),
  RATES,
];

/**
 * Returns the rules about sums that an invoice breaks: BR-CO-10 to BR-CO-17 of EN 16931, and for EXTENDED those of
 * Factur-X (BR-FXEXT-CO). An amount that is not there counts as 0.
 *
 * Two rules are as strict as the text of EN 16931, where the Schematron accepts more: the taxes need a
 * `TaxTotalAmount`, and a total that leaves out the stated tax breaks BR-CO-15.
 */
export function brokenSums(amounts: InvoiceAmounts, profile: InvoiceProfile): BrokenSum[] {
  return RULES.filter(({ profiles }) => profiles.includes(profile)).flatMap((rule) =>
    rule.compare(amounts).filter(differs)
      .map((found) => ({ id: rule.id, message: sentence(rule, found) }))
  );
}

/** Returns the rule of EXTENDED for a rule, with its tolerance in hundredths. */
function extended(rule: SumRule, tolerance: (amounts: InvoiceAmounts) => bigint): SumRule {
  return {
    ...rule,
    id: rule.id.replace("BR-", "BR-FXEXT-"),
    profiles: EXTENDED,
    compare: (amounts) =>
      rule.compare(amounts).map((found) => ({ ...found, tolerance: tolerance(amounts) })),
  };
}

function summands({ lines, allowances, charges }: InvoiceAmounts): bigint {
  return lines.count + allowances.count + charges.count;
}

function differs({ stated = 0n, computed, tolerance = 0n }: Comparison): boolean {
  const difference = stated - computed;
  return difference > tolerance || -difference > tolerance;
}

function sentence(rule: SumRule, { stated, computed, place = "", formula }: Comparison): string {
  const is = stated === undefined ? "is missing (0.00)" : `is ${centsText(stated)}`;
  return `${rule.id}: ${rule.amount}${place} ${is}, but ${formula ?? rule.formula} is ` +
    `${centsText(computed)}: ${rule.remedy}`;
}

function inCents(amount: Decimal | undefined): bigint | undefined {
  return amount === undefined ? undefined : centsOf(amount);
}
