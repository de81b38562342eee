import assert from "node:assert/strict";
import { test } from "node:test";
import type { InvoiceProfile } from "@posthaste/contracts";
import { NO_XMLLINT, sampleInvoice, schemaFaults, summedInvoice } from "@posthaste/kit";
import { reasonOf } from "./_test_invoice.ts";

type Changes = Readonly<Record<string, string>>;

const PROFILES = ["basic_wl", "basic", "en16931", "extended"] as const;

function changed(xml: string, changes: Changes): string {
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(xml.includes(from), from);
    xml = xml.replace(from, to);
  }
  return xml;
}

/** Returns the ids of the broken rules that a reason names. */
function idsIn(reason: string): string[] {
  return reason.match(/BR-[A-Z]+-[A-Z0-9-]*\d/g) ?? [];
}

for (const profile of PROFILES) {
  test(`an invoice with allowances, charges and payments breaks no rule (${profile})`, async () => {
    if (NO_XMLLINT === false) assert.equal(schemaFaults(summedInvoice(profile), profile), "");
    assert.equal(await reasonOf(summedInvoice(profile), profile), "");
  });
}

/** A rule, changes that keep it in a valid invoice, changes that break it alone, and what is then reported. */
const RULES: readonly [
  id: string,
  profile: Exclude<InvoiceProfile, "minimum">,
  kept: Changes,
  broken: Changes,
  says: string,
][] = [
  [
    "BR-CO-10",
    "en16931",
    {
      "LineTotalAmount>100.00": "LineTotalAmount>99.995",
      "LineTotalAmount>50.00": "LineTotalAmount>50.005",
    },
    { "LineTotalAmount>100.00": "LineTotalAmount>99.99" },
    "LineTotalAmount is 150.00, but the sum of LineTotalAmount of the lines is 149.99: add up",
  ],
  [
    "BR-CO-11",
    "en16931",
    { "AllowanceTotalAmount>10.00": "AllowanceTotalAmount>10" },
    { "ActualAmount>10.00": "ActualAmount>10.01" },
    "AllowanceTotalAmount is 10.00, but the sum of ActualAmount of the allowances is 10.01: add",
  ],
  [
    "BR-CO-12",
    "en16931",
    { ">true<": ">1<", ">false<": ">0<" },
    { "ActualAmount>5.00": "ActualAmount>4.00" },
    "ChargeTotalAmount is 5.00, but the sum of ActualAmount of the charges is 4.00: add up",
  ],
  [
    "BR-CO-13",
    "basic_wl",
    { "TaxBasisTotalAmount>145.00": "TaxBasisTotalAmount>145.0" },
    { ">145.00": ">150.00", ">165.95": ">170.95", ">100.05": ">105.05" },
    "TaxBasisTotalAmount is 150.00, but LineTotalAmount - AllowanceTotalAmount + " +
    "ChargeTotalAmount is 145.00: subtract",
  ],
  [
    "BR-CO-14",
    "en16931",
    { ">525.00</ram:TaxTotalAmount>": ">1.00</ram:TaxTotalAmount>" },
    { ">3.85": ">3.86" },
    "TaxTotalAmount is 20.95, but the sum of CalculatedAmount of the taxes is 20.96: add up",
  ],
  [
    "BR-CO-15",
    "basic",
    { "<ram:GrandTotalAmount>": "<ram:GrandTotalAmount> " },
    { ">165.95": ">165.96", ">100.05": ">100.06" },
    "GrandTotalAmount is 165.96, but TaxBasisTotalAmount + TaxTotalAmount is 165.95: add the tax",
  ],
  [
    "BR-CO-16",
    "en16931",
    { ">-0.05": ">0.00", ">100.00</ram:Due": ">100.05</ram:Due" },
    { ">-0.05": ">0.05" },
    "DuePayableAmount is 100.00, but GrandTotalAmount - TotalPrepaidAmount + RoundingAmount " +
    "is 100.10: subtract",
  ],
  [
    "BR-CO-17",
    "basic",
    // A tax that was rounded for each line may differ by 1.
    { ">3.85": ">4.85", ">20.95": ">21.95", ">165.95": ">166.95", ">100.05": ">101.05" },
    { ">3.85": ">4.86", ">20.95": ">21.96", ">165.95": ">166.96", ">100.05": ">101.06" },
    "CalculatedAmount in line 28 of the filled XML is 4.86, but 7 % of BasisAmount (55.00) is 3.85: " +
    "multiply",
  ],
  [
    "BR-FXEXT-CO-10",
    "extended",
    { "LineTotalAmount>100.00": "LineTotalAmount>99.98" },
    { "LineTotalAmount>100.00": "LineTotalAmount>99.97" },
    "LineTotalAmount is 150.00, but the sum of LineTotalAmount of the lines is 149.97: add up",
  ],
  [
    "BR-FXEXT-CO-11",
    "extended",
    { "ActualAmount>10.00": "ActualAmount>10.01" },
    { "ActualAmount>10.00": "ActualAmount>10.02" },
    "AllowanceTotalAmount is 10.00, but the sum of ActualAmount of the allowances is 10.02: add",
  ],
  [
    "BR-FXEXT-CO-12",
    "extended",
    {
      "<ram:SpecifiedTradePaymentTerms>": "<ram:SpecifiedLogisticsServiceCharge>" +
        "<ram:Description>Freight</ram:Description><ram:AppliedAmount>2.00</ram:AppliedAmount>" +
        "</ram:SpecifiedLogisticsServiceCharge><ram:SpecifiedTradePaymentTerms>",
      ...{ "ActualAmount>5.00": "ActualAmount>3.00" },
    },
    { "ActualAmount>5.00": "ActualAmount>4.98" },
    "ChargeTotalAmount is 5.00, but the sum of ActualAmount of the charges is 4.98: add up",
  ],
  [
    "BR-FXEXT-CO-13",
    "extended",
    { ">145.00": ">145.04", ">165.95": ">165.99", ">100.00</ram:Due": ">100.04</ram:Due" },
    { ">145.00": ">145.05", ">165.95": ">166.00", ">100.00</ram:Due": ">100.05</ram:Due" },
    "TaxBasisTotalAmount is 145.05, but the sum of the lines - the sum of the allowances + the " +
    "sum of the charges is 145.00: subtract",
  ],
  [
    "BR-FXEXT-CO-15",
    "extended",
    { ">165.95": ">165.99", ">100.00</ram:Due": ">100.04</ram:Due" },
    { ">165.95": ">166.00", ">100.00</ram:Due": ">100.05</ram:Due" },
    "GrandTotalAmount is 166.00, but TaxBasisTotalAmount + TaxTotalAmount is 165.95: add the tax",
  ],
  [
    "BR-FXEXT-CO-16",
    "extended",
    {
      "</ram:SpecifiedTradeSettlementHeader": "</ram:SpecifiedTradeSettlementHeader",
      ">100.00</ram:Due": ">103.00</ram:Due",
      "</ram:ApplicableHeaderTradeSettlement>":
        "<ram:SpecifiedFinancialAdjustment><ram:ReasonCode>1</ram:ReasonCode>" +
        "<ram:ActualAmount>3.00</ram:ActualAmount></ram:SpecifiedFinancialAdjustment>" +
        "</ram:ApplicableHeaderTradeSettlement>",
    },
    { ">100.00</ram:Due": ">100.01</ram:Due" },
    "DuePayableAmount is 100.01, but GrandTotalAmount - TotalPrepaidAmount + RoundingAmount + " +
    "ActualAmount of SpecifiedFinancialAdjustment is 100.00: subtract",
  ],
];

for (const [id, profile, kept, broken, says] of RULES) {
  test(`checkInvoice() names ${id}, both numbers and what to change, and nothing else`, async () => {
    const xml = summedInvoice(profile);
    assert.equal(await reasonOf(changed(xml, kept), profile), "");
    const reason = await reasonOf(changed(xml, broken), profile);
    assert.ok(reason.startsWith(`the totals differ (totals_differ): ${id}: ${says}`), reason);
    assert.deepEqual(idsIn(reason), [id]);
    assert.match(reason, /[^.]$/);
  });
}

test("checkInvoice() names the other broken rules by their ids", async () => {
  const xml = sampleInvoice("en16931").replace(">119.00</ram:Grand", ">120.00</ram:Grand");
  const reason = await reasonOf(xml, "en16931");
  assert.match(
    reason,
    /BR-CO-15: GrandTotalAmount is 120\.00, but .* is 119\.00: .* \(also broken: BR-CO-16\)$/,
  );
});

test("an amount that is not there counts as 0", async () => {
  const reasons = await Promise.all(
    ["AllowanceTotalAmount", "ChargeTotalAmount", "TotalPrepaidAmount"].map((name) => {
      const xml = summedInvoice("basic").replace(new RegExp(`<ram:${name}>.*?</ram:${name}>`), "");
      return reasonOf(xml, "basic");
    }),
  );
  const [allowances = "", charges = "", prepaid = ""] = reasons;
  assert.match(allowances, /BR-CO-11: AllowanceTotalAmount is missing \(0\.00\), but .* is 10\.00/);
  assert.match(charges, /BR-CO-12: ChargeTotalAmount is missing \(0\.00\), but .* is 5\.00/);
  assert.match(prepaid, /BR-CO-16: DuePayableAmount is 100\.05, but .* is 165\.95/);
  // Nothing needs a total of no allowances.
  assert.equal(await reasonOf(sampleInvoice("basic"), "basic"), "");
});

test("the tax total is that in the currency of the invoice", async () => {
  const xml = summedInvoice("en16931");
  const other = xml.replace('currencyID="EUR"', 'currencyID="USD"');
  const reason = await reasonOf(other, "en16931");
  assert.match(
    reason,
    /^[^:]*: BR-CO-14: TaxTotalAmount is missing \(0\.00\), .* is 20\.95: .*currencyID/,
  );
  assert.deepEqual(idsIn(reason), ["BR-CO-14", "BR-CO-15"]);
  const twice = xml.replace('currencyID="CZK"', 'currencyID="EUR"');
  assert.match(await reasonOf(twice, "en16931"), /two of \S+TaxTotalAmount in "EUR"/);
});

test("MINIMUM has no lines and no taxes: only its total is compared, if it has a tax", async () => {
  const xml = sampleInvoice("minimum");
  const wrong = xml.replace(">119.00</ram:Grand", ">120.00</ram:Grand");
  assert.deepEqual(idsIn(await reasonOf(wrong, "minimum")), ["BR-CO-15"]);
  const withoutTax = wrong.replace(/<ram:TaxTotalAmount.*<\/ram:TaxTotalAmount>/, "");
  const due = xml.replace(">119.00</ram:Due", ">19.00</ram:Due");
  for (const valid of [withoutTax, due]) assert.equal(await reasonOf(valid, "minimum"), "");
});

test("a tax without a rate, or at 0 %, is 0; a tax that is no VAT is not judged", async () => {
  const at = (changes: Changes) => {
    const zero = sampleInvoice("basic_wl").replaceAll("119.00", "100.00").replaceAll(
      "19.00",
      "0.00",
    );
    return reasonOf(changed(zero, changes), "basic_wl");
  };
  const rate = "<ram:RateApplicablePercent>19</ram:RateApplicablePercent>";
  assert.deepEqual(idsIn(await at({})), ["BR-CO-17"]);
  assert.equal(await at({ "<ram:TypeCode>VAT": "<ram:TypeCode>GST" }), "");
  const some = {
    ">0.00": ">0.50",
    '"EUR">0.00': '"EUR">0.50',
    "100.00</ram:Grand": "100.50</ram:Grand",
  };
  for (const zero of ["", rate.replace("19", "0")]) {
    assert.equal(await at({ [rate]: zero }), "");
    const due = { "100.00</ram:Due": "100.50</ram:Due" };
    assert.deepEqual(idsIn(await at({ [rate]: zero, ...some, ...due })), ["BR-CO-17"]);
  }
});

test("a line of EXTENDED that groups others, or informs, is not added up", async () => {
  const xml = summedInvoice("extended").replace(
    "<ram:LineID>1</ram:LineID>",
    "$&<ram:LineStatusReasonCode>STATUS</ram:LineStatusReasonCode>",
  );
  assert.equal(await reasonOf(xml.replace("STATUS", "DETAIL"), "extended"), "");
  for (const status of ["GROUP", "INFORMATION"]) {
    const reason = await reasonOf(xml.replace("STATUS", status), "extended");
    assert.match(
      reason,
      /BR-FXEXT-CO-10: .* is 150\.00, .* is 50\.00: .* \(also broken: BR-FXEXT-CO-13\)$/,
    );
  }
});

test("what only EXTENDED has counts in no other profile, as in the rules of EN 16931", async () => {
  const before = (element: string, part: string) => ({
    [`<ram:${element}>`]: `${part}<ram:${element}>`,
  });
  const adjusted = {
    ...before(
      "SpecifiedTradeSettlementHeaderMonetarySummation",
      "<ram:SpecifiedFinancialAdjustment><ram:ActualAmount>3.00</ram:ActualAmount>" +
        "</ram:SpecifiedFinancialAdjustment>",
    ),
    ">100.00</ram:Due": ">103.00</ram:Due",
  };
  const delivered = {
    "ActualAmount>5.00": "ActualAmount>3.00",
    ...before(
      "SpecifiedTradeSettlementHeaderMonetarySummation",
      "<ram:SpecifiedLogisticsServiceCharge><ram:AppliedAmount>2.00</ram:AppliedAmount>" +
        "</ram:SpecifiedLogisticsServiceCharge>",
    ),
  };
  const grouped = {
    "<ram:LineID>1</ram:LineID>": "<ram:LineID>1</ram:LineID>" +
      "<ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>",
    ">150.00": ">50.00",
  };
  for (
    const [changes, ids] of [
      [adjusted, ["BR-CO-16"]],
      [delivered, ["BR-CO-12"]],
      [grouped, ["BR-CO-10", "BR-CO-13"]],
    ] as const
  ) {
    const reason = await reasonOf(changed(summedInvoice("en16931"), changes), "en16931");
    assert.deepEqual(idsIn(reason), ids);
  }
});

test("checkInvoice() refuses a second amount where one is read, and a second currency", async () => {
  for (
    const element of [
      "<ram:LineTotalAmount>100.00</ram:LineTotalAmount>",
      "<ram:CalculatedAmount>17.10</ram:CalculatedAmount>",
      "<ram:ActualAmount>10.00</ram:ActualAmount>",
      "<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>",
    ]
  ) {
    const twice = changed(summedInvoice("basic"), { [element]: element + element });
    const [, name = ""] = /<ram:(\w+)/.exec(element) ?? [];
    assert.match(await reasonOf(twice, "basic"), new RegExp(`it has two of \\S+/${name}\\b`));
  }
});

test("checkInvoice() refuses amounts that are no numbers, wherever they are added up", async () => {
  for (
    const [from, to, path] of [
      [
        "LineTotalAmount>100.00",
        "LineTotalAmount>1,100.00",
        "LineMonetarySummation/LineTotalAmount",
      ],
      ["ActualAmount>5.00", "ActualAmount>5,00", "SpecifiedTradeAllowanceCharge/ActualAmount"],
      ["CalculatedAmount>3.85", "CalculatedAmount>3.85 €", "ApplicableTradeTax/CalculatedAmount"],
      [
        "Percent>7</ram:RateApplicablePercent></ram:ApplicableTradeTax>\n<ram:SpecifiedTradeAllowance",
        "Percent>7 %</ram:RateApplicablePercent></ram:ApplicableTradeTax>\n<ram:SpecifiedTradeAllowance",
        "ApplicableTradeTax/RateApplicablePercent",
      ],
      ['"EUR">20.95', '"EUR">', "TaxTotalAmount"],
    ]
  ) {
    const reason = await reasonOf(
      changed(summedInvoice("basic"), { [from ?? ""]: to ?? "" }),
      "basic",
    );
    assert.match(reason, new RegExp(`${path} in line \\d+ of .* is ".*", not a number such as`));
  }
  const empty = changed(summedInvoice("basic"), { "PrepaidAmount>65.90": "PrepaidAmount>" });
  assert.match(await reasonOf(empty, "basic"), /TotalPrepaidAmount is "", not a number/);
});

test("sums that floats get wrong agree", async () => {
  const xml = sampleInvoice("basic_wl").replaceAll("100.00", "0.10").replaceAll("19.00", "0.20")
    .replaceAll("10.20", "0.30").replace("Percent>19", "Percent>200");
  assert.equal(await reasonOf(xml, "basic_wl"), "");
  const large = sampleInvoice("basic_wl").replaceAll("119.00", "900000000000000.99")
    .replaceAll("100.00", "900000000000000.98").replaceAll("19.00", "0.01").replace(
      /<ram:ApplicableTradeTax>.*/,
      (tax) => tax.replace("VAT", "GST"),
    );
  assert.equal(await reasonOf(large, "basic_wl"), "");
  assert.deepEqual(idsIn(await reasonOf(large.replace("0.99<", "1.00<"), "basic_wl")), [
    ...["BR-CO-15", "BR-CO-16"],
  ]);
});
