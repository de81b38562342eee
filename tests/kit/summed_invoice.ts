import type { InvoiceProfile } from "@posthaste/contracts";
import { sampleInvoice } from "./sample_invoice.ts";

/**
 * Returns a valid invoice with an allowance, a charge, two rates of tax and a payment; from `basic` on with two
 * lines, from `en16931` on also with a rounding and a tax in a second currency.
 */
export function summedInvoice(profile: Exclude<InvoiceProfile, "minimum">): string {
  const isWhole = profile === "en16931" || profile === "extended";
  const invoice = sampleInvoice(profile);
  const [line = ""] = /<ram:IncludedSupply[^]*<\/ram:IncludedSupply\S*>/.exec(invoice) ?? [];
  const second = line.replace("LineID>1<", "LineID>2<").replace("Percent>19<", "Percent>7<")
    .replace("ChargeAmount>10.00<", "ChargeAmount>5.00<")
    .replace("LineTotalAmount>100.00<", "LineTotalAmount>50.00<");
  return invoice.replace(line, `${line}${second}`)
    .replace(/<ram:ApplicableTradeTax><ram:CalculatedAmount.*/, parts)
    .replace(/<ram:SpecifiedTradeSettlementHeader.*/, summary(isWhole))
    .replace(
      "<ram:InvoiceCurrencyCode>",
      (tag) => `${isWhole ? "<ram:TaxCurrencyCode>CZK</ram:TaxCurrencyCode>" : ""}${tag}`,
    );
}

function tax({ tax, basis, rate }: { tax: string; basis: string; rate: number }): string {
  return `<ram:ApplicableTradeTax><ram:CalculatedAmount>${tax}</ram:CalculatedAmount>` +
    `<ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>${basis}</ram:BasisAmount>` +
    `<ram:CategoryCode>S</ram:CategoryCode>` +
    `<ram:RateApplicablePercent>${rate}</ram:RateApplicablePercent></ram:ApplicableTradeTax>`;
}

function change(isCharge: boolean, { amount, rate }: { amount: string; rate: number }): string {
  return `<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>${isCharge}` +
    `</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>${amount}</ram:ActualAmount>` +
    `<ram:Reason>Agreed</ram:Reason><ram:CategoryTradeTax><ram:TypeCode>VAT</ram:TypeCode>` +
    `<ram:CategoryCode>S</ram:CategoryCode>` +
    `<ram:RateApplicablePercent>${rate}</ram:RateApplicablePercent></ram:CategoryTradeTax>` +
    `</ram:SpecifiedTradeAllowanceCharge>`;
}

const parts = [
  tax({ tax: "17.10", basis: "90.00", rate: 19 }),
  tax({ tax: "3.85", basis: "55.00", rate: 7 }),
  change(false, { amount: "10.00", rate: 19 }),
  change(true, { amount: "5.00", rate: 7 }),
].join("\n");

function summary(isWhole: boolean): string {
  const amount = (name: string, value: string, attributes = "") =>
    `<ram:${name}${attributes}>${value}</ram:${name}>`;
  const name = "ram:SpecifiedTradeSettlementHeaderMonetarySummation";
  return `<${name}>` + amount("LineTotalAmount", "150.00") + amount("ChargeTotalAmount", "5.00") +
    amount("AllowanceTotalAmount", "10.00") + amount("TaxBasisTotalAmount", "145.00") +
    (isWhole ? amount("TaxTotalAmount", "525.00", ' currencyID="CZK"') : "") +
    amount("TaxTotalAmount", "20.95", ' currencyID="EUR"') +
    (isWhole ? amount("RoundingAmount", "-0.05") : "") + amount("GrandTotalAmount", "165.95") +
    amount("TotalPrepaidAmount", "65.90") +
    amount("DuePayableAmount", isWhole ? "100.00" : "100.05") + `</${name}>`;
}
