import assert from "node:assert/strict";
import { test } from "node:test";
import { INVOICE_PROFILES } from "@posthaste/contracts";
import { cpuRatio, NO_XMLLINT, sampleInvoice, schemaFaults } from "@posthaste/kit";
import { checkInvoice } from "./_check_invoice.ts";
import { groupRules, requiredPaths } from "./_invoice_rules.ts";
import { reasonOf } from "./_test_invoice.ts";

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
    assert.deepEqual(await checkInvoice({ xml: sampleInvoice(profile), profile }), {
      grandTotal: "119.00",
      duePayable: "119.00",
    });
  });

  test(`the invoice of the tests is valid by the schema of Factur-X (${profile})`, {
    skip: NO_XMLLINT,
  }, () => {
    assert.equal(schemaFaults(sampleInvoice(profile), profile), "");
    const wrong = sampleInvoice(profile).replace("<ram:TypeCode>", "<ram:Typo/><ram:TypeCode>");
    assert.match(schemaFaults(wrong, profile), /Typo/);
  });

  test(`checkInvoice() names every required element that is empty (${profile})`, async () => {
    for (const path of requiredPaths(profile).filter((path) => !/Tax$|LineItem$/.test(path))) {
      const reason = await reasonOf(emptied(sampleInvoice(profile), path), profile);
      assert.ok(reason.includes(`lacks ${path},`), `${path}: ${reason}`);
    }
    for (const { path, required } of groupRules(profile)) {
      for (const inner of required) {
        const xml = emptied(sampleInvoice(profile), `${path}/${inner}`);
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
  [
    "another namespace",
    (xml) => xml.replace("BusinessInformationEntity:100", "X:1"),
    /"GuidelineSpecifiedDocumentContextParameter" in line \d+ of the filled XML is in the namespace "urn:.*X:1", not in "urn:.*Entity:100"/,
  ],
  [
    "a sum in the namespace of dates",
    (xml) => xml.replaceAll("ram:GrandTotalAmount", "udt:GrandTotalAmount"),
    /"GrandTotalAmount" in line \d+ .* not in "urn:.*Entity:100"/,
  ],
  [
    "a date in the namespace of sums",
    (xml) => xml.replaceAll("udt:DateTimeString", "ram:DateTimeString"),
    /"DateTimeString" in line \d+ .* not in "urn:.*UnqualifiedDataType:100"/,
  ],
  [
    "a part of the document in the namespace of sums",
    (xml) => xml.replaceAll("rsm:ExchangedDocument>", "ram:ExchangedDocument>"),
    /"ExchangedDocument" in line \d+ .* not in "urn:.*CrossIndustryInvoice:100"/,
  ],
  [
    "an element in no namespace",
    (xml) => xml.replace("Buyer</ram:Name>", "$&<Name>Other</Name>"),
    /"Name" in line \d+ .* is in the namespace ""/,
  ],
  [
    "a sum with an element inside",
    (xml) => xml.replace("119.00", "1<ram:Part>00</ram:Part>119.00"),
    /GrandTotalAmount in line \d+ of the filled XML has an element inside/,
  ],
  [
    "a sum within an element of its own",
    (xml) => xml.replace("119.00", "<ram:Part>119.00</ram:Part>"),
    /GrandTotalAmount in line \d+ of the filled XML has an element inside/,
  ],
  [
    "text beside elements",
    (xml) => xml.replace("<ram:BuyerTradeParty>", "$&Buyer "),
    /"BuyerTradeParty" in line \d+ of the filled XML has text beside elements/,
  ],
  [
    "a sum whose last digits follow a long gap",
    (xml) => xml.replace("119.00", `119.00${" ".repeat(2_000)}<!-- -->9`),
    /GrandTotalAmount is "119.00.*", not a number/,
  ],
  [
    "a sum with a no-break space",
    (xml) => xml.replace("119.00", "119.00\u00a0"),
    /is "119.00\u00a0", not a number/,
  ],
  [
    "the declaration of another encoding",
    (xml) => xml.replace("UTF-8", "UTF-16"),
    /declares the encoding "UTF-16", but is sent as UTF-8/,
  ],
  [
    "another version of XML",
    (xml) => xml.replace('"1.0"', '"1.1"'),
    /declares the version "1.1" of XML, not 1.0/,
  ],
  [
    "half a character",
    (xml) => xml.replace("Buyer<", "B\ud83dx<"),
    /line \d+ has half of a character \(a lone surrogate\)/,
  ],
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
    (xml) => xml.replace("<ram:BuyerTradeParty>", `$&${"<ram:a>".repeat(60)}`),
    /more than 50 levels/,
  ],
];

test("checkInvoice() accepts UTF-8 in any case, and no declaration", async () => {
  const xml = sampleInvoice("minimum");
  for (
    const start of ['<?xml version="1.0" encoding="utf-8"?>', "<?xml version='1.0'?>", "", "\ufeff"]
  ) {
    const changed = xml.replace(/^.*\?>\n/, start);
    assert.equal((await checkInvoice({ xml: changed, profile: "minimum" })).duePayable, "119.00");
  }
});

test("checkInvoice() reports a long name in a short sentence", async () => {
  const reason = await reasonOf(`<${"a".repeat(100_000)} b>`, "minimum");
  assert.ok(reason.length <= 500, String(reason.length));
});

test("checkInvoice() reads a long invoice in parts, whatever stands where they meet", async () => {
  for (const start of ["", "x"]) {
    const text = `${start}${"😀\r\n".repeat(40_000)}`;
    const xml = sampleInvoice("basic").replace("Buyer<", `${text}<`);
    assert.equal((await checkInvoice({ xml, profile: "basic" })).grandTotal, "119.00");
  }
  const long = sampleInvoice("basic").replace("Buyer<", `${"x".repeat(5_000_000)}<`);
  assert.match(await reasonOf(long, "basic"), /more than 5000000/);
});

test("checkInvoice() accepts much space between elements, in linear time", async () => {
  const spaced = (count: number) => {
    const xml = sampleInvoice("basic").replace("<ram:GrandTotalAmount>", `$&${" ".repeat(count)}`)
      .replaceAll("\n", "\n".repeat(count)).replace("Buyer<", `B${" ".repeat(count)}r<`);
    return () => checkInvoice({ xml, profile: "basic" });
  };
  assert.equal((await spaced(5_000)()).grandTotal, "119.00");
  const ratio = await cpuRatio(spaced(100_000), spaced(10_000), { below: 30 });
  assert.ok(ratio < 30, `${ratio} times the time of a tenth`);
});

test("checkInvoice() takes no longer for elements deep in others", async () => {
  const check = (depth: number) => {
    const inner = `${"<ram:b>".repeat(depth)}${"<ram:a/>".repeat(20_000)}${
      "</ram:b>".repeat(depth)
    }`;
    const xml = sampleInvoice("minimum").replace("</rsm:CrossIndustryInvoice>", "") +
      `<rsm:b>${inner}</rsm:b></rsm:CrossIndustryInvoice>`;
    return () => checkInvoice({ xml, profile: "minimum" });
  };
  const ratio = await cpuRatio(check(45), check(1), { below: 4 });
  assert.ok(ratio < 4, `${ratio} times the time of one level`);
});

test("checkInvoice() accepts any prefix, and other elements in their namespaces", async () => {
  const ownPrefixes = sampleInvoice("basic").replaceAll("ram:", "a:").replaceAll(
    "xmlns:ram",
    "xmlns:a",
  )
    .replaceAll("rsm:", "").replaceAll("xmlns:rsm", "xmlns")
    .replaceAll("<udt:", "<ram:").replaceAll("</udt:", "</ram:")
    .replaceAll("xmlns:udt", "xmlns:ram");
  const order = "<ram:BuyerOrderReferencedDocument><ram:IssuerAssignedID>1</ram:IssuerAssignedID>" +
    '<ram:FormattedIssueDateTime><q:DateTimeString xmlns:q="urn:un:unece:uncefact:data:standard:' +
    'QualifiedDataType:100" format="102">20260102</q:DateTimeString></ram:FormattedIssueDateTime>' +
    "</ram:BuyerOrderReferencedDocument></ram:ApplicableHeaderTradeAgreement>";
  const referring = sampleInvoice("extended").replace(
    "</ram:ApplicableHeaderTradeAgreement>",
    order,
  );
  for (const [xml, profile] of [[ownPrefixes, "basic"], [referring, "extended"]] as const) {
    if (NO_XMLLINT === false) assert.equal(schemaFaults(xml, profile), "");
    assert.equal((await checkInvoice({ xml, profile })).grandTotal, "119.00");
  }
});

for (const [what, change, pattern] of FAULTS) {
  test(`checkInvoice() refuses ${what}`, async () => {
    const xml = change(sampleInvoice("minimum"));
    assert.match(await reasonOf(xml, "minimum"), pattern);
  });
}
