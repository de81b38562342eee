import { INVOICE_PROFILES, type InvoiceProfile } from "@posthaste/contracts";

/** The identifiers of the profiles (BT-24). */
export const GUIDELINES: Readonly<Record<InvoiceProfile, string>> = {
  minimum: "urn:factur-x.eu:1p0:minimum",
  basic_wl: "urn:factur-x.eu:1p0:basicwl",
  basic: "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
  en16931: "urn:cen.eu:en16931:2017",
  extended: "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
};

const DEAL = "SupplyChainTradeTransaction";
const AGREEMENT = `${DEAL}/ApplicableHeaderTradeAgreement`;
const SETTLEMENT = `${DEAL}/ApplicableHeaderTradeSettlement`;
const SUMS = `${SETTLEMENT}/SpecifiedTradeSettlementHeaderMonetarySummation`;

/** Path of the identifier of the profile, below the root. */
export const GUIDELINE = "ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID";

/** Paths of the sums that the page must agree with. */
export const GRAND_TOTAL = `${SUMS}/GrandTotalAmount`;
export const DUE_PAYABLE = `${SUMS}/DuePayableAmount`;

/** Path of the date of issue, which has the form `YYYYMMDD`. */
export const ISSUE_DATE = "ExchangedDocument/IssueDateTime/DateTimeString";

/** Path of the currency of the invoice. */
export const CURRENCY = `${SETTLEMENT}/InvoiceCurrencyCode`;

/** Paths of sums, which are decimal numbers with at most two decimals (BR-DEC). */
export const SUM_PATHS: readonly string[] = [
  `${SUMS}/LineTotalAmount`,
  `${SUMS}/AllowanceTotalAmount`,
  `${SUMS}/ChargeTotalAmount`,
  `${SUMS}/TaxBasisTotalAmount`,
  GRAND_TOTAL,
  `${SUMS}/TotalPrepaidAmount`,
  `${SUMS}/RoundingAmount`,
  DUE_PAYABLE,
];

/** Required elements, and the smallest profile that requires them. */
const REQUIRED: readonly [InvoiceProfile, readonly string[]][] = [
  ["minimum", [
    GUIDELINE,
    "ExchangedDocument/ID",
    "ExchangedDocument/TypeCode",
    ISSUE_DATE,
    `${AGREEMENT}/SellerTradeParty/Name`,
    `${AGREEMENT}/SellerTradeParty/PostalTradeAddress/CountryID`,
    `${AGREEMENT}/BuyerTradeParty/Name`,
    CURRENCY,
    `${SUMS}/TaxBasisTotalAmount`,
    GRAND_TOTAL,
    DUE_PAYABLE,
  ]],
  ["basic_wl", [
    `${AGREEMENT}/BuyerTradeParty/PostalTradeAddress/CountryID`,
    `${SETTLEMENT}/ApplicableTradeTax`,
    `${SUMS}/LineTotalAmount`,
  ]],
  ["basic", [`${DEAL}/IncludedSupplyChainTradeLineItem`]],
];

/** Elements that have no text, but must be there. */
export const PRESENT: readonly string[] = [`${DEAL}/ApplicableHeaderTradeDelivery`];

/** An element that may come often, what each needs, and what is read of it. */
export interface GroupRule {
  /** Path below the root. */
  path: string;
  /** Paths below it. */
  required: readonly string[];
  /** Paths below it whose texts are kept: an empty one for its own text, `@name` for an attribute. */
  kept: readonly string[];
}

/** The tax of a category and rate (BG-23). */
export const TAXES: GroupRule = {
  path: `${SETTLEMENT}/ApplicableTradeTax`,
  required: ["CalculatedAmount", "TypeCode", "BasisAmount", "CategoryCode"],
  kept: ["CalculatedAmount", "TypeCode", "BasisAmount", "RateApplicablePercent"],
};

/** Allowances and charges of the whole invoice (BG-20, BG-21). */
export const ALLOWANCES: GroupRule = {
  path: `${SETTLEMENT}/SpecifiedTradeAllowanceCharge`,
  required: [],
  kept: ["ChargeIndicator/Indicator", "ActualAmount"],
};

/** Charges for logistics (BG-X-42). Only EXTENDED has them. */
export const LOGISTICS: GroupRule = {
  path: `${SETTLEMENT}/SpecifiedLogisticsServiceCharge`,
  required: [],
  kept: ["AppliedAmount"],
};

/** Amounts that are collected for others (BG-32). Only EXTENDED has them. */
export const COLLECTED: GroupRule = {
  path: `${SETTLEMENT}/SpecifiedFinancialAdjustment`,
  required: [],
  kept: ["ActualAmount"],
};

/** The tax in the currency of the invoice, and in that of the seller's books (BT-110, BT-111). */
export const TAX_TOTALS: GroupRule = {
  path: `${SUMS}/TaxTotalAmount`,
  required: [],
  kept: ["", "@currencyID"],
};

const LINE_NAMES = ["AssociatedDocumentLineDocument/LineID", "SpecifiedTradeProduct/Name"];

const LINE_SETTLEMENT = "SpecifiedLineTradeSettlement";

/** Path of the amount of a line, below it. */
export const LINE_TOTAL =
  `${LINE_SETTLEMENT}/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount`;

/** Path of what kind of line it is, below it. Only EXTENDED has other kinds than `DETAIL`. */
export const LINE_STATUS = "AssociatedDocumentLineDocument/LineStatusReasonCode";

/** The lines (BG-25). */
export const LINES: GroupRule = {
  path: `${DEAL}/IncludedSupplyChainTradeLineItem`,
  required: [
    ...LINE_NAMES,
    "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount",
    "SpecifiedLineTradeDelivery/BilledQuantity",
    `${LINE_SETTLEMENT}/ApplicableTradeTax/TypeCode`,
    `${LINE_SETTLEMENT}/ApplicableTradeTax/CategoryCode`,
    LINE_TOTAL,
  ],
  kept: [LINE_TOTAL],
};

/** A line of EXTENDED may only group others, and has no price. */
const EXTENDED_LINES: GroupRule = {
  ...LINES,
  required: LINE_NAMES,
  kept: [LINE_TOTAL, LINE_STATUS],
};

/** Returns the paths that an invoice of a profile must have. */
export function requiredPaths(profile: InvoiceProfile): string[] {
  const rank = INVOICE_PROFILES.indexOf(profile);
  return REQUIRED.flatMap(([from, paths]) => INVOICE_PROFILES.indexOf(from) <= rank ? paths : []);
}

/** Returns the rules of the elements of a profile that may come often. */
export function groupRules(profile: InvoiceProfile): GroupRule[] {
  if (profile === "minimum") return [TAX_TOTALS];
  const withoutLines = [TAXES, ALLOWANCES, TAX_TOTALS];
  if (profile === "basic_wl") return withoutLines;
  if (profile !== "extended") return [...withoutLines, LINES];
  return [...withoutLines, LOGISTICS, COLLECTED, EXTENDED_LINES];
}
