const BASE = "urn:un:unece:uncefact:data:standard";

/** Namespace of an invoice and its three parts (`rsm`). */
export const CII = `${BASE}:CrossIndustryInvoice:100`;

/** `ram`. */
const PARTS = `${BASE}:ReusableAggregateBusinessInformationEntity:100`;

/** `udt`. */
const UNQUALIFIED = `${BASE}:UnqualifiedDataType:100`;

/** `qdt`. */
const QUALIFIED = `${BASE}:QualifiedDataType:100`;

/**
 * Returns the namespace of an element below the root of an invoice, as the schemas of Factur-X 1.07.3 have it.
 * They allow no elements of other namespaces.
 *
 * @param parent Name of the element above, without prefix
 */
export function namespaceOf(name: string, parent: string): string {
  if (parent === "CrossIndustryInvoice") return CII;
  // Two types have a date as text: `FormattedIssueDateTime` and its like are qualified.
  if (name === "DateTimeString") return parent.startsWith("Formatted") ? QUALIFIED : UNQUALIFIED;
  if (name === "DateString" || name === "Indicator") return UNQUALIFIED;
  return PARTS;
}
