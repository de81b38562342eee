import { pageOptionsSchema } from "@posthaste/contracts";
import type { Example } from "../example.ts";

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Invoice {{ number }}</title>
<style>
  * { box-sizing: border-box; }
  html { font: 9.5pt/1.5 "Noto Sans", "Helvetica Neue", Arial, sans-serif; color: #23272f; }
  body, h1, p, dl, dd, table { margin: 0; padding: 0; }
  .soft { color: #5c6470; }
  .top { display: flex; justify-content: space-between; align-items: baseline; }
  .top strong { font-size: 15pt; color: #1d4ed8; }
  .parties { display: flex; justify-content: space-between; align-items: flex-end; margin: 18mm 0 14mm; }
  .to { font-size: 10.5pt; }
  .dates { display: grid; grid-template-columns: auto auto; gap: 1mm 8mm; }
  .dates dt { color: #5c6470; }
  .dates dd { text-align: right; }
  h1 { font-size: 24pt; line-height: 1.2; margin-bottom: 6mm; }
  table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th { padding: 0 0 2mm; text-align: left; font-size: 8.5pt; color: #5c6470; border-bottom: 0.5mm solid #1d4ed8; }
  td { padding: 3mm 0; border-bottom: 0.2mm solid #dfe3e8; vertical-align: top; }
  th + th, td + td { padding-left: 6mm; text-align: right; white-space: nowrap; }
  tr { break-inside: avoid; }
  .sums { width: 80mm; margin: 4mm 0 0 auto; }
  .sums td { padding: 1.2mm 0; border: 0; }
  .sums .total td { font-size: 13pt; font-weight: 700; padding-top: 3mm; border-top: 0.5mm solid #1d4ed8; }
  .pay { margin-top: 14mm; padding: 6mm 7mm; background: #f2f4f7; border-radius: 2.5mm; break-inside: avoid; }
</style>
</head>
<body>
<header class="top">
  <strong>{{ sender.name }}</strong>
  <p class="soft">{{ sender.street }}, {{ sender.city }}</p>
</header>

<section class="parties">
  <p class="to"><strong>{{ customer.name }}</strong><br>{{ customer.street }}<br>{{ customer.city }}</p>
  <dl class="dates">
    <dt>Number</dt><dd>{{ number }}</dd>
    <dt>Issued</dt><dd>{{ date issuedAt "long" }}</dd>
    <dt>Due</dt><dd><strong>{{ date dueAt "long" }}</strong></dd>
  </dl>
</section>

<h1>Invoice</h1>
<table>
  <thead><tr><th>What</th><th>Quantity</th><th>Price</th><th>Amount</th></tr></thead>
  <tbody>
    {{#each lines}}
    <tr>
      <td><strong>{{ name }}</strong>{{#if detail}}<br><span class="soft">{{ detail }}</span>{{/if}}</td>
      <td>{{ number quantity }}</td>
      <td>{{ currency price @root.currency }}</td>
      <td>{{ currency (round (multiply quantity price) 2) @root.currency }}</td>
    </tr>
    {{/each}}
  </tbody>
</table>
{{#with (sum lines "quantity" "price" round=2) as |net|}}
<table class="sums">
  <tr><td>Net</td><td>{{ currency net @root.currency }}</td></tr>
  <tr><td>VAT {{ percent @root.taxRate }}</td><td>{{ currency (round (multiply net @root.taxRate) 2) @root.currency }}</td></tr>
  <tr class="total"><td>Amount due</td><td data-invoice-total>{{ currency (add net (round (multiply net @root.taxRate) 2)) @root.currency }}</td></tr>
</table>
{{/with}}

<p class="pay">Please pay by {{ date dueAt "long" }} to <strong>{{ sender.iban }}</strong> and give the number {{ number }} as the reference.{{#if note}}<br>{{ note }}{{/if}}</p>
</body>
</html>
`;

/** An invoice with lines, VAT and the amount due, on as many pages as it takes. */
export const INVOICE: Example = {
  id: "invoice",
  name: "Invoice",
  about: "Lines, VAT and the amount due, on as many pages as it takes.",
  source: {
    html: HTML,
    filename: "invoice-{{ number }}.pdf",
    page: pageOptionsSchema.parse({
      missingGlyphs: "fail",
      margin: { top: "18mm", right: "16mm", bottom: "22mm", left: "16mm" },
      footer: { right: "Page {page} of {pages}" },
    }),
    variables: [
      { name: "number", required: true, description: "Invoice number" },
      { name: "issuedAt", required: true, description: "Day of issue, such as 2026-03-02" },
      { name: "dueAt", required: true, description: "Day of payment" },
      { name: "sender", required: true, description: "Who asks: name, street, city, iban" },
      { name: "customer", required: true, description: "Who it is for: name, street, city" },
      { name: "lines", required: true, description: "Rows: name, detail, quantity, price of one" },
      { name: "currency", required: false, default: "EUR", description: "ISO 4217 code" },
      { name: "taxRate", required: false, default: 0.19, description: "VAT, 0.19 for 19 %" },
      { name: "note", required: false, description: "A personal line" },
    ],
    sample: {
      number: "2026-0042",
      issuedAt: "2026-03-02",
      dueAt: "2026-03-16",
      sender: {
        name: "Acme",
        street: "Speicherstraße 14",
        city: "20457 Hamburg",
        iban: "DE02 1203 0000 0000 2020 51",
      },
      customer: { name: "Café Ångström GmbH", street: "Kanalstraße 5", city: "22085 Hamburg" },
      lines: [
        { name: "Walnut desk", detail: "160 × 80 cm", quantity: 2, price: 349 },
        { name: "Desk lamp", detail: "", quantity: 4, price: 49.9 },
      ],
      currency: "EUR",
      taxRate: 0.19,
      note: "Thank you for your order.",
    },
  },
};
