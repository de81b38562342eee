/**
 * Invoices with one wrong amount each: the product refuses those whose sums the Schematron rules of EN 16931
 * refuse, by the same ids. `EN16931_RULES` names a clone of them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOptionsSchema } from "@posthaste/contracts";
import { nightly, summedInvoice } from "@posthaste/kit";
import { InvoiceError, pdfInvoice } from "@posthaste/templating";
import { brokenRules, NO_RULES } from "./broken_rules.ts";

nightly("libs/templating/_invoice_sums_test.ts");

/** The profiles whose documents are invoices by these rules. EXTENDED has rules of its own. */
const PROFILES = ["basic", "en16931"] as const;

const SUM_RULE = /BR-CO-1[0-7]/g;

/** Amounts of the invoice: those in a summary, those that are added up, and what a tax is computed from. */
const AMOUNT =
  /<ram:(\w*Total\w*Amount|DuePayableAmount|RoundingAmount|ActualAmount|CalculatedAmount|BasisAmount|RateApplicablePercent)[^>]*>([^<]*)<\/ram:\w+>/g;

const CHANGES: Readonly<Record<string, (amount: number) => number | undefined>> = {
  "a cent more": (amount) => amount + 0.01,
  "a cent less": (amount) => amount - 0.01,
  "1 more": (amount) => amount + 1,
  "1.01 more": (amount) => amount + 1.01,
  "another sign": (amount) => -amount,
  "nothing": () => 0,
  "a tenth": (amount) => amount / 10,
  "no element": () => undefined,
};

/** A change, and the rule that it breaks by the text of EN 16931, but not by its Schematron. */
const STRICTER: readonly [RegExp, string][] = [
  // The Schematron compares no signs.
  [/: (?:CalculatedAmount|BasisAmount) .*, another sign$/, "BR-CO-17"],
  // It does not compare a total that is not there.
  [/: TaxTotalAmount 20\.95, no element$/, "BR-CO-14"],
];

/** Returns invoices with one change, by what was changed. */
function wrongInvoices(profile: typeof PROFILES[number]): Map<string, string> {
  const xml = summedInvoice(profile);
  const found = new Map<string, string>();
  for (const { 0: element, 1: name, 2: text = "", index } of xml.matchAll(AMOUNT)) {
    for (const [what, change] of Object.entries(CHANGES)) {
      const amount = change(Number(text));
      const changed = amount === undefined
        ? ""
        : element.replace(`>${text}<`, `>${amount.toFixed(2)}<`);
      const line = xml.slice(0, index).split("\n").length;
      const wrong = xml.slice(0, index) + changed + xml.slice(index + element.length);
      found.set(`${profile}, line ${line}: ${name} ${text}, ${what}`, wrong);
    }
  }
  return found;
}

/** Returns the rules about sums for which the product refuses an invoice; `undefined` for another reason. */
async function refusedFor(xml: string, invoice: typeof PROFILES[number]) {
  const page = pageOptionsSchema.parse({ conformance: "pdf/a-3b", invoice });
  try {
    await pdfInvoice({ xml, page });
    return [];
  } catch (error) {
    assert.ok(error instanceof InvoiceError, String(error));
    const ids = error.message.match(SUM_RULE);
    return ids === null ? undefined : [...new Set(ids)].toSorted();
  }
}

for (const profile of PROFILES) {
  test(`the product refuses the sums that the rules of EN 16931 refuse (${profile})`, {
    skip: NO_RULES,
  }, async () => {
    const invoices = new Map([["valid", summedInvoice(profile)], ...wrongInvoices(profile)]);
    const official = await brokenRules(invoices);
    assert.deepEqual(official.get("valid"), []);
    const differences: unknown[] = [];
    const seen = new Set<string>();
    for (const [name, xml] of invoices) {
      const ours = await refusedFor(xml, profile);
      // An element that the profile requires is missing.
      if (ours === undefined) continue;
      const theirs = (official.get(name) ?? []).filter((id) => id.match(SUM_RULE));
      for (const id of theirs) seen.add(id);
      const text = STRICTER.flatMap(([what, id]) => what.test(name) ? [id] : []);
      const expected = [...new Set([...theirs, ...text])].toSorted();
      if (expected.join() !== ours.join()) differences.push([name, { ours, theirs }]);
    }
    // Each rule was broken by some change.
    assert.equal(seen.size, 8);
    assert.deepEqual(differences, []);
  });
}
