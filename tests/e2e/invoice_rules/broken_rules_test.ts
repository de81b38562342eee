import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleInvoice } from "@posthaste/kit";
import { brokenRules, NO_RULES } from "./broken_rules.ts";

/** What is changed in a valid invoice, and the rules that it then breaks. The product refuses only the first six. */
const FAULTS: readonly [from: string, to: string, rules: string[]][] = [
  [">119.00</ram:GrandTotal", ">120.00</ram:GrandTotal", ["BR-CO-15", "BR-CO-16"]],
  [">119.00</ram:DuePayable", ">118.00</ram:DuePayable", ["BR-CO-16"]],
  ["TaxBasisTotalAmount>100.00", "TaxBasisTotalAmount>101.00", ["BR-CO-13", "BR-CO-15"]],
  // The amount of the line, which comes before that of the invoice.
  ["LineTotalAmount>100.00", "LineTotalAmount>90.00", ["BR-CO-10", "BR-S-08"]],
  ["BasisAmount>100.00", "BasisAmount>90.00", ["BR-CO-17", "BR-S-08", "BR-S-09"]],
  ["CalculatedAmount>19.00", "CalculatedAmount>9.00", ["BR-CO-14", "BR-CO-17", "BR-S-09"]],
  ["Percent>19", "Percent>0", ["BR-S-05", "BR-S-08"]],
  ["ChargeAmount>10.00", "ChargeAmount>-10.00", ["BR-27"]],
  ["TypeCode>380", "TypeCode>999", ["BR-CL-01"]],
  [">DE123456789", ">123456789", ["BR-CO-09"]],
  [">AT<", ">Austria<", ["BR-CL-14"]],
  ['"C62"', '"piece"', ["BR-CL-23"]],
  ["20260331", "20260332", ["CII-DT-097"]],
];

test(
  "brokenRules() returns the ids of the rules that an invoice breaks",
  { skip: NO_RULES },
  async () => {
    const valid = sampleInvoice("en16931");
    const invoices = new Map(FAULTS.map(([from, to]) => {
      assert.ok(valid.includes(from), from);
      return [to, valid.replace(from, to)];
    }));
    const expected = new Map(FAULTS.map(([, to, rules]) => [to, rules]));
    assert.deepEqual(await brokenRules(invoices), expected);
  },
);

test("brokenRules() refuses a document in which no rule matches anything", {
  skip: NO_RULES,
}, async () => {
  await assert.rejects(brokenRules(new Map([["other", "<Invoice/>"]])), /no rule matches/);
});
