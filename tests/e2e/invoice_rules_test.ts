/**
 * Invoices in printed PDFs, checked by the Schematron rules of EN 16931. `EN16931_RULES` names a clone of them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { InvoiceProfile, Variables } from "@posthaste/contracts";
import {
  archiveFaults,
  nightly,
  NO_VERAPDF,
  sampleInvoice,
  summedInvoice,
  until,
} from "@posthaste/kit";
import { attachedInvoice, NO_PDFDETACH } from "./attached_invoice.ts";
import { brokenRules, NO_RULES } from "./invoice_rules/broken_rules.ts";
import { manageTemplates } from "./manage_templates.ts";
import { openPdfOrder, type PdfOrder } from "./pdf_order.ts";
import { readMail } from "./read_mail.ts";

nightly("tests/e2e/e_invoice_test.ts", "libs/templating/_check_invoice_test.ts");

let opened: PdfOrder;
before(async () => {
  opened = await openPdfOrder("Your invoice");
});
after(() => opened?.[Symbol.asyncDispose]());

/** The profiles whose documents are invoices of EN 16931. */
const PROFILES = ["basic", "en16931", "extended"] as const satisfies InvoiceProfile[];

/** What the example is filled with, beside its sample. */
const EXAMPLE_VALUES: Readonly<Record<string, Variables>> = {
  "the-sample": {},
  "rounded-lines": { lines: ["A", "B", "C"].map((name) => line(name, 0.5, 33.33)) },
  "no-tax": { taxRate: 0 },
  "long-prices": { taxRate: 0.07, lines: [line("A < B", 7, 0.3333), line("B", 1.125, 1234.5678)] },
  "returned-goods": {
    taxRate: 0.081,
    currency: "CHF",
    lines: [line("A", 3, 33.33), line("B", -1, 20)],
  },
};

function line(name: string, quantity: number, price: number) {
  return { name, detail: "", quantity, price };
}

/** A published PDF template, and what it is filled with. */
interface Document {
  id: number;
  variables?: Variables;
}

/** Sends one mail for each name, and returns their PDFs. */
async function mailed(
  documents: ReadonlyMap<string, Document>,
): Promise<Map<string, Buffer>> {
  const { system, sink, order } = opened;
  const seen = sink.messages.length;
  const to = [...documents].map(([name, document]) => ({
    email: `${name}@rules.example`,
    attachments: [document],
  }));
  const { id } = await system.send({ ...order, to });
  const { states } = await system.untilDone(id);
  assert.deepEqual(states, { sent: documents.size });
  await until(() => sink.messages.length - seen === documents.size, { message: "all mails" });
  const pdfs = new Map<string, Buffer>();
  for (const message of sink.messages.slice(seen)) {
    const [mail] = await readMail(message);
    const name = (mail.to[0]?.email ?? "").replace(/@.*/, "");
    const [pdf] = mail.attachments;
    pdfs.set(name, pdf?.bytes ?? Buffer.alloc(0));
  }
  return pdfs;
}

/** Returns the rules that the invoices in PDFs break. */
async function brokenBy(pdfs: ReadonlyMap<string, Buffer>): Promise<Map<string, string[]>> {
  const invoices = new Map<string, string>();
  for (const [name, pdf] of pdfs) invoices.set(name, await attachedInvoice(pdf));
  return await brokenRules(invoices);
}

/** Publishes the example, and returns what its mails are filled with. */
async function publishExample(): Promise<Map<string, Document>> {
  const manager = await manageTemplates(opened.system);
  const { id, sample } = await manager.publishExample("pdf", "e-invoice");
  return new Map(
    Object.entries(EXAMPLE_VALUES).map(([name, values]) =>
      [name, { id, variables: { ...sample, ...values } }] as const
    ),
  );
}

/** Publishes a page that shows the totals of an invoice. */
function publish(profile: InvoiceProfile, invoice: string): Promise<number> {
  const [, total = ""] = /GrandTotalAmount>([^<]+)/.exec(invoice) ?? [];
  const [, due = ""] = /DuePayableAmount>([^<]+)/.exec(invoice) ?? [];
  return opened.system.publishPdf({
    html:
      `<title>Invoice</title><p data-invoice-total>${total} €<p data-invoice-total="due">${due}`,
    invoice,
    page: { conformance: "pdf/a-3b", invoice: profile },
  });
}

test("the invoices of the example in printed PDFs break no rule of EN 16931", {
  skip: NO_RULES || NO_PDFDETACH,
}, async () => {
  const broken = await brokenBy(await mailed(await publishExample()));
  const none = Object.keys(EXAMPLE_VALUES).map((name) => [name, []] as const);
  assert.deepEqual(broken, new Map<string, readonly string[]>(none));
});

test("veraPDF finds no fault in the PDFs of the example", { skip: NO_VERAPDF }, async () => {
  for (const [name, pdf] of await mailed(await publishExample())) {
    assert.equal(await archiveFaults(pdf), "", name);
  }
});

/** A fault that the product does not refuse: a type that is no code. */
const UNKNOWN_TYPE = { from: "TypeCode>380", to: "TypeCode>999", rule: "BR-CL-01" };

test("the invoices of the tests break no rule in print, and those with a fault break its rule", {
  skip: NO_RULES || NO_PDFDETACH,
}, async () => {
  const documents = new Map<string, Document>();
  for (const profile of PROFILES) {
    const { from, to } = UNKNOWN_TYPE;
    documents.set(profile, { id: await publish(profile, summedInvoice(profile)) });
    const wrong = sampleInvoice(profile).replace(from, to);
    documents.set(`${profile}-wrong`, { id: await publish(profile, wrong) });
  }
  const broken = await brokenBy(await mailed(documents));
  for (const profile of PROFILES) {
    assert.deepEqual(broken.get(profile), [], profile);
    assert.deepEqual(broken.get(`${profile}-wrong`), [UNKNOWN_TYPE.rule], profile);
  }
});
