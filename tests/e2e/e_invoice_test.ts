import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { minimalInvoice, summedInvoice, until } from "@posthaste/kit";
import { attachedInvoice, NO_PDFDETACH } from "./attached_invoice.ts";
import { readMail } from "./read_mail.ts";
import { openPdfOrder, type PdfOrder } from "./pdf_order.ts";

let opened: PdfOrder;
before(async () => {
  opened = await openPdfOrder("Your invoice");
});
after(() => opened?.[Symbol.asyncDispose]());

test("a mail has an invoice for people and for programs; one with other totals is not sent", {
  skip: NO_PDFDETACH,
}, async () => {
  const { system, sink, order } = opened;
  const pdf = await system.publishPdf({
    html: "<h1>{{name}}</h1><p data-invoice-total>{{shown}} €",
    invoice: minimalInvoice("{{name}}", "{{total}}"),
    page: { conformance: "pdf/a-3b", invoice: "minimum" },
  });
  const to = [
    ["right", "1.234,50", "1234.50"],
    ["other", "1.234,50", "1234.05"],
    ["none", "1.234,50", ""],
  ].map(([name = "", shown = "", total = ""]) => ({
    email: `${name}@invoice.example`,
    attachments: [{ id: pdf, variables: { name: "Müller & Söhne", shown, total } }],
  }));
  const { id } = await system.send({ ...order, to });
  await system.untilDone(id);
  const messages = await Promise.all([1, 2].map((index) => system.message(messageIdOf(id, index))));
  assert.deepEqual(messages.map(({ state }) => state), ["failed", "failed"]);
  const [other, none] = messages.map(({ reason }) => reason);
  assert.match(
    other ?? "",
    /the totals differ \(totals_differ\): the page has "1\.234,50 €".*XML has 1234\.05 \(GrandTotalAmount\)/,
  );
  assert.match(none ?? "", /lacks .*GrandTotalAmount/);
  const [sunk] = await until(() => sink.messages.length > 0 && sink.messages, {
    message: "a mail",
  });
  assert.ok(sunk !== undefined && sink.messages.length === 1);
  const [mail] = await readMail(sunk);
  const bytes = mail.attachments[0]?.bytes as Buffer;
  assert.equal(await attachedInvoice(bytes), minimalInvoice("Müller &amp; Söhne", "1234.50"));
  assert.match(bytes.toString("latin1"), /<pdfaid:part>3<\/pdfaid:part>/);
});

test("a mail whose invoice has wrong sums is not sent, and the reason has both numbers", async () => {
  const { system, order } = opened;
  const pdf = await system.publishPdf({
    html: '<p data-invoice-total>165,95<p data-invoice-total="due">100,05',
    invoice: summedInvoice("basic").replace(">145.00<", ">{{basis}}<"),
    page: { conformance: "pdf/a-3b", invoice: "basic" },
  });
  const to = ["145.00", "150.00"].map((basis, index) => ({
    email: `sums-${index}@invoice.example`,
    attachments: [{ id: pdf, variables: { basis } }],
  }));
  const { id } = await system.send({ ...order, to });
  await system.untilDone(id);
  const messages = await Promise.all([0, 1].map((index) => system.message(messageIdOf(id, index))));
  assert.deepEqual(messages.map(({ state }) => state), ["sent", "failed"]);
  assert.match(
    messages[1]?.reason ?? "",
    /the totals differ \(totals_differ\): BR-CO-13: TaxBasisTotalAmount is 150\.00, .* is 145\.00: subtract/,
  );
});
