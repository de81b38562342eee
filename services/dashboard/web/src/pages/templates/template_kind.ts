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
  /** Shown in a new account. */
  firstStep: string;
}

/** The words of both kinds. */
export const KINDS: Record<TemplateKind, KindWords> = {
  email: {
    kind: "email",
    title: "Email templates",
    noun: "email template",
    about: "Subject, HTML or MJML, and text. Requests refer to a template by id or alias.",
    path: "/email-templates",
    api: "/templates/email",
    firstStep: "Start from an example and edit it. The preview shows what recipients get.",
  },
  pdf: {
    kind: "pdf",
    title: "PDF templates",
    noun: "PDF template",
    about: "Documents printed for each recipient. Requests refer to a template by id or alias.",
    path: "/pdf-templates",
    api: "/templates/pdf",
    firstStep: "Start from an example, such as an invoice. The preview is the real PDF.",
  },
};
