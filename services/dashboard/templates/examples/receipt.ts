import type { Example } from "../example.ts";
import { mailFrame } from "./mail_frame.ts";

const SHEET = `
<mj-section>
  <mj-column>
    <mj-text css-class="ink" font-size="24px" font-weight="700" line-height="1.3">Thank you, {{ name }}</mj-text>
    <mj-text css-class="ink" padding-top="12px">We have your payment for order {{ order }} of {{ date paidAt "long" }}.</mj-text>
  </mj-column>
</mj-section>
<mj-section padding="24px 0 0">
  <mj-column>
    <mj-table css-class="ink line" font-size="15px" line-height="1.5" color="#23272f" padding="0">
      {{#each lines}}
      <tr>
        <td style="padding:10px 0;border-bottom:1px solid #e1e5ea;">{{ name }}{{#if (gt quantity 1)}} × {{ number quantity }}{{/if}}</td>
        <td align="right" style="padding:10px 0;border-bottom:1px solid #e1e5ea;white-space:nowrap;">{{ currency (multiply quantity price) @root.currency }}</td>
      </tr>
      {{/each}}
      <tr>
        <td style="padding:14px 0 0;"><strong>Paid</strong></td>
        <td align="right" style="padding:14px 0 0;white-space:nowrap;"><strong>{{ currency (sum lines "quantity" "price") currency }}</strong></td>
      </tr>
    </mj-table>
  </mj-column>
</mj-section>
<mj-section padding="28px 0 0">
  <mj-column>
    <mj-button css-class="button" href="{{ orderUrl }}">See your order</mj-button>
  </mj-column>
</mj-section>
`;

/** What was bought and paid, line by line. */
export const RECEIPT: Example = {
  id: "receipt",
  name: "Receipt",
  about: "What was bought and paid, line by line; an invoice as PDF goes well with it.",
  source: {
    subject: "Your receipt for order {{ order }}",
    html: mailFrame({
      title: "Receipt",
      preview: '{{ currency (sum lines "quantity" "price") currency }} paid. Thank you!',
      sheet: SHEET,
      why: "You get this because you bought something from {{ company }}.",
    }),
    variables: [
      { name: "name", required: true, description: "First name of the customer" },
      { name: "order", required: true, description: "Number of the order" },
      { name: "paidAt", required: true, description: "Day of payment, such as 2026-03-02" },
      { name: "lines", required: true, description: "Rows: name, quantity, price of one" },
      { name: "currency", required: false, default: "EUR", description: "ISO 4217 code" },
      { name: "orderUrl", required: true, description: "Where the button leads" },
      { name: "company", required: false, default: "Acme", description: "Who sends it" },
    ],
    sample: {
      name: "Zoë",
      order: "2026-0042",
      paidAt: "2026-03-02",
      lines: [
        { name: "Walnut desk", quantity: 1, price: 349 },
        { name: "Desk lamp", quantity: 2, price: 49.9 },
      ],
      currency: "EUR",
      orderUrl: "https://example.com/orders/2026-0042",
      company: "Acme",
    },
  },
};
