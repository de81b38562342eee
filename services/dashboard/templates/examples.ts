import type { TemplateKind } from "@posthaste/contracts";
import { E_INVOICE } from "./examples/e_invoice.ts";
import { INVOICE } from "./examples/invoice.ts";
import { LETTER } from "./examples/letter.ts";
import { PASSWORD_RESET } from "./examples/password_reset.ts";
import { RECEIPT } from "./examples/receipt.ts";
import { WELCOME } from "./examples/welcome.ts";
import type { Example } from "./example.ts";

/** The examples for new templates, by kind; the first of each is empty. */
export const EXAMPLES: Readonly<Record<TemplateKind, readonly Example[]>> = {
  email: [
    {
      id: "empty",
      name: "Empty",
      about: "A blank sheet.",
      source: {
        subject: "Hello {{ name }}",
        html: "<!doctype html>\n<p>Hello {{ name }},</p>\n",
        variables: [{ name: "name", required: true, description: "What to call the recipient" }],
        sample: { name: "Zoë" },
      },
    },
    WELCOME,
    PASSWORD_RESET,
    RECEIPT,
  ],
  pdf: [
    {
      id: "empty",
      name: "Empty",
      about: "A blank page.",
      source: {
        html: "<!doctype html>\n<h1>{{ title }}</h1>\n",
        filename: "document.pdf",
        variables: [{ name: "title", required: true, description: "The heading" }],
        sample: { title: "A document" },
      },
    },
    INVOICE,
    E_INVOICE,
    LETTER,
  ],
};
