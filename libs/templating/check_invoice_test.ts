import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { INVOICE_PROFILES } from "@posthaste/contracts";
import { NO_XMLLINT, schemaFaults } from "@posthaste/kit";
import { checkInvoice, InvoiceError } from "./check_invoice.ts";
import { invoiceOf } from "./_test_invoice.ts";
import { groupRules, requiredPaths } from "./_invoice_rules.ts";

async function reasonOf(xml: string, profile: (typeof INVOICE_PROFILES)[number]) {
  try {
    await checkInvoice({ xml, profile });
    return "";
  } catch (error) {
    assert.ok(error instanceof InvoiceError, String(error));
    return error.message;
  }
}

/** Returns the invoice without the text of the first element at a path. */
function emptied(xml: string, path: string): string {
  let at = 0;
  for (const step of path.split("/")) {
    at = xml.slice(at).search(new RegExp(`:${step}[ >]`)) + at + 1;
  }
  const start = xml.indexOf(">", at) + 1;
  return xml.slice(0, start) + xml.slice(xml.indexOf("<", start));
}

for (const profile of INVOICE_PROFILES) {
  test(`checkInvoice() returns the sums of an invoice (${profile})`, async () => {
    assert.deepEqual(await checkInvoice({ xml: invoiceOf(profile), profile }), {
      grandTotal: "119.00",
      duePayable: "119.00",
    });
  });

  test(`the invoice of the tests is valid by the schema of Factur-X (${profile})`, {
    skip: NO_XMLLINT,
  }, () => {
    assert.equal(schemaFaults(invoiceOf(profile), profile), "");
    const wrong = invoiceOf(profile).replace("<ram:TypeCode>", "<ram:Typo/><ram:TypeCode>");
    assert.match(schemaFaults(wrong, profile), /Typo/);
  });

  test(`checkInvoice() names every required element that is empty (${profile})`, async () => {
    for (const path of requiredPaths(profile).filter((path) => !/Tax$|LineItem$/.test(path))) {
      const reason = await reasonOf(emptied(invoiceOf(profile), path), profile);
      assert.ok(reason.includes(`lacks ${path},`), `${path}: ${reason}`);
    }
    for (const { path, required } of groupRules(profile)) {
      for (const inner of required) {
        const xml = emptied(invoiceOf(profile), `${path}/${inner}`);
        const reason = await reasonOf(xml, profile);
        assert.ok(reason.includes(`lacks ${inner},`), `${path}/${inner}: ${reason}`);
      }
    }
  });
}

const FAULTS: [string, (xml: string) => string, RegExp][] = [
  ["an open element", (xml) => xml.slice(0, -30), /not well-formed: line 1?\d: /],
  ["an ampersand", (xml) => xml.replace("&amp;", "&"), /not well-formed: line \d+: /],
  [
    "an attribute that comes twice",
    (xml) => xml.replace('schemeID="VA"', 'a="1" a="2"'),
    /not well-formed/,
  ],
  ["a control character", (xml) => xml.replace("Buyer<", "B\u0001<"), /not well-formed: line \d+/],
  ["an entity", (xml) => xml.replace("Buyer<", "&nbsp;<"), /not well-formed/],
  [
    "a document type",
    (xml) => xml.replace("?>", '?><!DOCTYPE x [<!ENTITY a "b">]>'),
    /document type/,
  ],
  ["nothing", () => "", /not well-formed|lacks/],
  ["an undeclared prefix", (xml) => xml.replaceAll("xmlns:udt", "xmlns:u"), /not well-formed/],
  ["another root", () => "<Invoice/>", /root is "Invoice"/],
  ["another namespace", (xml) => xml.replace("BusinessInformationEntity:100", "X:1"), /lacks /],
  [
    "another profile",
    (xml) => xml.replace("1p0:minimum", "1p0:basicwl"),
    /ID is "urn:factur-x.eu:1p0:basicwl"/,
  ],
  ["a decimal comma", (xml) => xml.replace("119.00", "119,00"), /is "119,00", not a number/],
  ["three decimals", (xml) => xml.replace("119.00", "119.001"), /not a number/],
  ["another date", (xml) => xml.replace("20260301", "2026-03-01"), /not YYYYMMDD/],
  [
    "many levels",
    (xml) => xml.replace("Buyer<", `${"<ram:a>".repeat(60)}<`),
    /more than 50 levels/,
  ],
];

test("checkInvoice() reports a long name in a short sentence", async () => {
  const reason = await reasonOf(`<${"a".repeat(100_000)} b>`, "minimum");
  assert.ok(reason.length <= 500, String(reason.length));
});

test("checkInvoice() reads a long invoice in parts, whatever stands where they meet", async () => {
  for (const start of ["", "x"]) {
    const text = `${start}${"😀\r\n".repeat(40_000)}`;
    const xml = invoiceOf("basic").replace("Buyer<", `${text}<`);
    assert.equal((await checkInvoice({ xml, profile: "basic" })).grandTotal, "119.00");
  }
  const long = invoiceOf("basic").replace("Buyer<", `${"x".repeat(5_000_000)}<`);
  assert.match(await reasonOf(long, "basic"), /more than 5000000/);
});

test("checkInvoice() takes no longer for elements in a namespace with a long name", async () => {
  const elements = "<b>".repeat(40) + "<a/>".repeat(500) + "</b>".repeat(40);
  const check = (length: number) => {
    const xml = invoiceOf("minimum")
      .replace("<rsm:CrossIndustryInvoice", `$& xmlns="${"n".repeat(length)}"`)
      .replace("</rsm:CrossIndustryInvoice>", `${elements}$&`);
    return () => checkInvoice({ xml, profile: "minimum" });
  };
  const ratio = await cpuRatio(check(20_000), check(10));
  assert.ok(ratio < 10, `${ratio} times the time of a short name`);
});

for (const [what, change, pattern] of FAULTS) {
  test(`checkInvoice() refuses ${what}`, async () => {
    const xml = change(invoiceOf("minimum"));
    assert.match(await reasonOf(xml, "minimum"), pattern);
  });
}
