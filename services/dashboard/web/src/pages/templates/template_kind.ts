import type { TemplateKind } from "@posthaste/contracts";

/** The words and addresses in which the pages of email and PDF templates differ. */
export interface KindWords {
  kind: TemplateKind;
  /** Of the page. */
  title: string;
  /** In a sentence: "this email template". */
  noun: string;
  about: string;
  /** Of the list, in the browser. */
  path: string;
  /** Of the routes, below `/api`. */
  api: string;
  /** What a new account is told. */
  firstStep: string;
}

/** The words of both kinds. */
export const KINDS: Record<TemplateKind, KindWords> = {
  email: {
    kind: "email",
    title: "Email templates",
    noun: "email template",
    about: "Subject, HTML or MJML, and text. Requests name a template by its id or its alias.",
    path: "/email-templates",
    api: "/templates/email",
    firstStep: "Begin with an example and change its words: the preview shows what will arrive.",
  },
  pdf: {
    kind: "pdf",
    title: "PDF templates",
    noun: "PDF template",
    about: "Documents that are printed for each recipient. Requests name one by its integer id.",
    path: "/pdf-templates",
    api: "/templates/pdf",
    firstStep: "Begin with an example, such as an invoice: the preview is the real PDF.",
  },
};
