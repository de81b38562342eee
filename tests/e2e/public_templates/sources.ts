import type { TranslatedProduct } from "@posthaste/templating";

/** Templates of a public repository. None is copied here: the test reads a clone. */
export interface TemplateSource {
  /** Name of the folder with the clone. */
  readonly name: string;
  readonly repository: string;
  readonly commit: string;
  /** Folder of the templates in the repository. */
  readonly folder: string;
  readonly product: TranslatedProduct;
  readonly kind: "email" | "pdf";
  /** How many are published, and how many remain drafts because they break a rule. */
  readonly outcomes: Readonly<Partial<Record<"new" | "draft", number>>>;
}

/** The templates of six repositories. */
export const SOURCES: readonly TemplateSource[] = [
  {
    name: "postmark",
    repository: "https://github.com/ActiveCampaign/postmark-templates",
    commit: "fa73527acb4eb59cf673a54572d213e908f1515c",
    folder: ".",
    ...{ product: "postmark", kind: "email", outcomes: { new: 66 } },
  },
  {
    name: "sendgrid",
    repository: "https://github.com/sendgrid/email-templates",
    commit: "12f459a7848761c7dba024a5431c0ce468aca82d",
    folder: ".",
    // The drafts name SendGrid's own addresses for leaving a list: <%asm_group_unsubscribe_raw_url%>.
    ...{ product: "sendgrid", kind: "email", outcomes: { new: 2, draft: 17 } },
  },
  {
    name: "mailgun",
    repository: "https://github.com/mailgun/transactional-email-templates",
    commit: "e05e59e8c1e0fa7ffbacc7a165a609fd37c590b5",
    folder: ".",
    ...{ product: "mailchimp", kind: "email", outcomes: { new: 6 } },
  },
  {
    name: "leemunroe",
    repository: "https://github.com/leemunroe/responsive-html-email-template",
    commit: "60b5b6ddf9600e4b7d7e1ef60e5a3a8f1e56e186",
    folder: ".",
    ...{ product: "mailchimp", kind: "email", outcomes: { new: 2 } },
  },
  {
    name: "sparksuite",
    repository: "https://github.com/sparksuite/simple-html-invoice-template",
    commit: "7d74fe34c862b7712f1a23a3f12147a4a8bd53e1",
    folder: ".",
    // Its logo is an image by address, which the printer may not load. The other one is the project's web page.
    ...{ product: "mailchimp", kind: "pdf", outcomes: { draft: 2 } },
  },
  {
    name: "mjml",
    repository: "https://github.com/mjmlio/email-templates",
    commit: "69b6157f1475fa20d529ee65da8f8caa00e8fa6b",
    folder: "templates",
    ...{ product: "mailchimp", kind: "email", outcomes: { new: 25 } },
  },
];
