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

/** Paths of sums, which are decimal numbers with at most two decimals (BR-DEC). */
export const SUM_PATHS: readonly string[] = [
  `${SUMS}/LineTotalAmount`,
  `${SUMS}/TaxBasisTotalAmount`,
  GRAND_TOTAL,
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
    `${SETTLEMENT}/InvoiceCurrencyCode`,
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

/** An element that may come often, and what each needs. */
export interface GroupRule {
  /** Path below the root. */
  path: string;
  /** Paths below it. */
  required: readonly string[];
}

const TAX: GroupRule = {
  path: `${SETTLEMENT}/ApplicableTradeTax`,
  required: ["CalculatedAmount", "TypeCode", "BasisAmount", "CategoryCode"],
};

const LINE_NAMES = ["AssociatedDocumentLineDocument/LineID", "SpecifiedTradeProduct/Name"];

const LINE_SETTLEMENT = "SpecifiedLineTradeSettlement";

const LINE: GroupRule = {
  path: `${DEAL}/IncludedSupplyChainTradeLineItem`,
  required: [
    ...LINE_NAMES,
    "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount",
    "SpecifiedLineTradeDelivery/BilledQuantity",
    `${LINE_SETTLEMENT}/ApplicableTradeTax/TypeCode`,
    `${LINE_SETTLEMENT}/ApplicableTradeTax/CategoryCode`,
    `${LINE_SETTLEMENT}/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount`,
  ],
};

/** Returns the paths that an invoice of a profile must have. */
export function requiredPaths(profile: InvoiceProfile): string[] {
  const rank = INVOICE_PROFILES.indexOf(profile);
  return REQUIRED.flatMap(([from, paths]) => INVOICE_PROFILES.indexOf(from) <= rank ? paths : []);
}

/** Returns the rules of the elements of a profile that may come often. */
export function groupRules(profile: InvoiceProfile): GroupRule[] {
  if (profile === "minimum") return [];
  if (profile === "basic_wl") return [TAX];
  // A line of EXTENDED may only group others, and has no price.
  return [TAX, profile === "extended" ? { ...LINE, required: LINE_NAMES } : LINE];
}
