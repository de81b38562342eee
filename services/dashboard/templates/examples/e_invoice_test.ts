import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_XMLLINT, schemaFaults } from "@posthaste/kit";
import { openSandbox, pdfInvoice, withDefaults } from "@posthaste/templating";
import { E_INVOICE } from "./e_invoice.ts";

const { html = "", invoice = "", page, variables = [], sample = {} } = E_INVOICE.source;

async function fill(values: Record<string, unknown>) {
  await using sandbox = openSandbox({ workers: 1 });
  const published = await sandbox.publishPdf({ html, invoice, locale: "en" });
  const [filled] = await sandbox.fill({
    templates: {
      html: { key: "html", source: published.html, escape: "html" },
      invoice: { key: "invoice", source: published.invoice ?? "", escape: "xml" },
    },
    fills: [{ data: withDefaults(variables, { ...sample, ...values } as typeof sample) }],
  });
  assert.ok(filled?.ok, JSON.stringify(filled));
  return filled.parts;
}

test("the example of an invoice with XML is valid by the schema of EN 16931", {
  skip: NO_XMLLINT,
}, async () => {
  assert.equal(schemaFaults((await fill({}))["invoice"] ?? "", "en16931"), "");
});

test("the sums of the example are sums of its rounded lines (BR-CO-10, BR-S-08)", async () => {
  const lines = ["A", "B", "C"].map((name) => ({ name, detail: "", quantity: 0.5, price: 33.33 }));
  const { html: shown = "", invoice: xml = "" } = await fill({ lines });
  const totals = [...xml.matchAll(/<ram:LineTotalAmount>([^<]+)/g)].map(([, total]) => total);
  assert.deepEqual(totals, ["16.67", "16.67", "16.67", "50.01"]);
  assert.match(xml, /<ram:BasisAmount>50.01</);
  assert.match(shown, /<td>€16.67<[^]*<td>Net<\/td><td>€50.01</);
});

test("a tax rate of 0 is the category Z: standard rates are above 0 (BR-S-05)", async () => {
  const { invoice: xml = "" } = await fill({ taxRate: 0 });
  assert.equal(xml.match(/<ram:CategoryCode>Z</g)?.length, 3);
  assert.doesNotMatch(xml, /<ram:CategoryCode>S</);
});

test("the example shows on its page the total of its XML", async () => {
  const thirds = [{ name: "A < B", detail: "", quantity: 3, price: 33.33 }];
  for (const lines of [sample["lines"], thirds]) {
    const { html: shown = "", invoice: xml } = await fill({ lines });
    const checked = await pdfInvoice({ xml, page: page ?? undefined });
    const [, total = ""] = /data-invoice-total>([^<]+)</.exec(shown) ?? [];
    assert.equal(Number(total.replace(/[^\d.]/g, "")), Number(checked?.grandTotal));
    assert.equal(checked?.grandTotal, checked?.duePayable);
  }
});
