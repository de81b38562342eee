import { readFile } from "node:fs/promises";
import type { SendRequest, Variables } from "@posthaste/contracts";

/** Address that all mail comes from. */
export const SENDER = "orders@bench.example";

/** Connections to the SMTP server, the same for the product and its baseline: usual, many, and to one far away. */
export const CONNECTIONS = { usual: 8, many: 20, far: 5 } as const;

/** The sources of the two templates that everything is measured with. */
export interface Sources {
  subject: string;
  /** A mail of about 10 KB with 20 variables and a loop. */
  mail: string;
  /** An invoice of one page, about 5 KB. */
  invoice: string;
}

/** Reads the templates. */
export async function readSources(): Promise<Sources> {
  const read = (name: string) => readFile(new URL(`./template/${name}`, import.meta.url), "utf8");
  const [mail, invoice] = await Promise.all([read("mail.hbs"), read("invoice.hbs")]);
  return { subject: "Your order {{ orderNumber }}", mail, invoice };
}

const LINES = [
  { name: "Espresso Nº 4", detail: "Whole beans, 1 kg", price: "€24.00", amount: "€48.00" },
  { name: "Filter “Morning”", detail: "Ground, 250 g", price: "€8.90", amount: "€17.80" },
  { name: "Cup & saucer", detail: "Porcelain, white", price: "€14.50", amount: "€29.00" },
  { name: "Hand grinder", detail: "Steel burrs", price: "€79.00", amount: "€158.00" },
  { name: "Paper filters", detail: "Size 2 <100 pieces>", price: "€3.20", amount: "€6.40" },
  { name: "Descaler", detail: "2 × 125 ml", price: "€9.90", amount: "€19.80" },
  { name: "Milk jug", detail: "0.4 l", price: "€21.00", amount: "€42.00" },
  { name: "Gift wrapping", detail: "Dark green", price: "€2.50", amount: "€5.00" },
].map((line) => ({ ...line, quantity: 2 }));

/** The variables of the mail, which all recipients share. */
const MAIL_VARIABLES: Variables = {
  shop: "Northwind Coffee Roasters",
  orderDate: "14 March 2026",
  changeUntil: "15 March 2026, noon",
  street: "Speicherstraße 14",
  postcode: "20457",
  city: "Hamburg",
  country: "Germany",
  delivery: "Parcel to the door",
  expectedOn: "18 March 2026",
  payment: "Bank transfer",
  paymentReference: "NW-2026-0001",
  shipping: "€4.90",
  total: "€330.90",
  orderUrl: "https://shop.bench.example/orders/0001?from=mail&lang=en",
  supportEmail: "help@bench.example",
  lines: LINES,
};

/** The variables of the mail that differ from one recipient to the next. */
function recipientVariables(index: number): Variables {
  const number = String(index).padStart(6, "0");
  return {
    firstName: "Zoë",
    fullName: `Zoë Müller ${number}`,
    orderNumber: `NW-${number}`,
    customerNumber: `C${number}`,
  };
}

/** All variables of one recipient's mail. */
export function mailVariables(index: number): Variables {
  return { ...MAIL_VARIABLES, ...recipientVariables(index) };
}

/** The variables of the invoice, but for its number. */
export const INVOICE_VARIABLES: Variables = {
  seller: {
    name: "Northwind Coffee Roasters GmbH",
    street: "Speicherstraße 14",
    city: "20457 Hamburg",
    email: "billing@bench.example",
    vatId: "DE 298 765 432",
  },
  customer: {
    name: "Zoë Müller",
    street: "Rue de l’Abbé 3",
    city: "1000 Bruxelles",
    country: "Belgium",
  },
  issuedOn: "14 March 2026",
  dueOn: "28 March 2026",
  lines: LINES,
  net: "€278.07",
  vat: "€52.83",
  total: "€330.90",
};

/** The variables of an invoice of 5,000 lines, but for its number: about 500 KB. */
export const LONG_INVOICE_VARIABLES: Variables = {
  ...INVOICE_VARIABLES,
  lines: Array.from({ length: 5000 }, (_, index) => LINES[index % LINES.length] ?? null),
};

/** Which invoice a recipient gets: none, one of their own, a long one of their own, or the same as everyone. */
export type Invoice = "none" | "each" | "long" | "shared";

/**
 * Makes the body of a send.
 *
 * @param first Number of its first recipient: numbers that come twice would be found in the cache.
 */
export function sendBody(
  { first, count, invoice, pdfId }: {
    first: number;
    count: number;
    invoice: Invoice;
    pdfId: number;
  },
): SendRequest {
  return {
    from: { email: SENDER, name: "Northwind" },
    to: Array.from({ length: count }, (_, offset) => {
      const index = first + offset;
      const number = invoice === "shared" ? "I-shared" : `I-${index}`;
      const filling = invoice === "long" ? LONG_INVOICE_VARIABLES : INVOICE_VARIABLES;
      return {
        email: `customer-${index}@inbox.example`,
        name: `Zoë Müller`,
        variables: recipientVariables(index),
        ...(invoice === "none"
          ? {}
          : { attachments: [{ id: pdfId, variables: { ...filling, number } }] }),
      };
    }),
    variables: MAIL_VARIABLES,
  };
}
