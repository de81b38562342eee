import { type EmailVersion, pageOptionsSchema, type PdfVersion } from "@posthaste/contracts";

/** A published email template whose parts show the variables `name` and `city`. */
export function emailVersion(changes: Partial<EmailVersion> = {}): EmailVersion {
  return {
    _id: "acc_1/email/1/2",
    accountId: "acc_1",
    templateId: 1,
    version: 2,
    kind: "email",
    name: "Welcome",
    variables: [{ name: "city", required: false, default: "Oslo" }],
    locale: "en",
    sourceHash: "hash",
    publishedAt: new Date(0),
    publishedBy: null,
    isTest: false,
    source: { subject: "Hello {{ name }}" },
    parts: {
      subject: "Hello {{ name }}",
      html: "<p>{{ name }} in {{ city }}</p>",
      text: "{{ name }} in {{ city }}",
    },
    ...changes,
  };
}

/** A published PDF template whose parts show the variable `name`. */
export function pdfVersion(id: number, changes: Partial<PdfVersion> = {}): PdfVersion {
  return {
    _id: `acc_1/pdf/${id}/3`,
    accountId: "acc_1",
    templateId: id,
    version: 3,
    kind: "pdf",
    name: "Invoice",
    variables: [{ name: "currency", required: false, default: "NOK" }],
    locale: "nb",
    sourceHash: "hash",
    publishedAt: new Date(0),
    publishedBy: null,
    isTest: false,
    source: { html: "" },
    parts: {
      html: `<h1>{{ name }}</h1><p>${id} {{ currency }}</p>`,
      filename: "invoice-{{ name }}.pdf",
    },
    page: pageOptionsSchema.parse({}),
    ...changes,
  };
}

/** The German variant of {@linkcode emailVersion}, with a number. */
export const GERMAN_MAIL: NonNullable<EmailVersion["variants"]> = {
  de: {
    source: { subject: "" },
    parts: {
      subject: "Hallo {{ name }}",
      html: "<p>{{ number 1.5 }}",
      text: "{{ name }}",
    },
  },
};

/** The German variant of {@linkcode pdfVersion}. */
export const GERMAN_PDF: NonNullable<PdfVersion["variants"]> = {
  de: {
    source: { html: "" },
    parts: { html: "<h1>Rechnung {{ name }}</h1>", filename: "rechnung-{{ name }}.pdf" },
  },
};
