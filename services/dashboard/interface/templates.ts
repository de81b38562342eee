import type {
  FoundVariable,
  PageOptions,
  TemplateFault,
  TemplateKind,
  VariableDeclaration,
  Variables,
} from "@posthaste/contracts";

/**
 * The routes, all below `/api/templates/<email|pdf>`:
 *
 * | route | takes | gives |
 * | --- | --- | --- |
 * | `GET /` | | `TemplateRow[]` |
 * | `POST /` | `NewTemplate` | `TemplateView` |
 * | `GET /examples` | | `ExampleRow[]`: what a new one may begin as |
 * | `GET /helpers` | | `HelperRow[]`: what templates may call |
 * | `GET /:id` | | `TemplateView` |
 * | `PUT /:id/draft` | `DraftChange` | `TemplateView`; 409 `conflict` if someone else changed it |
 * | `PATCH /:id` | `{ name?, alias? }` | `TemplateView`; 409 `name_taken` |
 * | `POST /:id/publish` | `{ revision }` | `TemplateView`; 422 `template_failed` with issues |
 * | `POST /:id/roll-back` | `{ version }` | `TemplateView`: that version's source is published again |
 * | `POST /:id/discard` | `{ revision }` | `TemplateView`: the draft is what is published |
 * | `POST /:id/duplicate` | `{ name }` | `TemplateView` of the new one |
 * | `DELETE /:id` | | `{}`: archived; requests that name it get 404 |
 * | `GET /:id/versions` | | `VersionRow[]`, newest first |
 * | `GET /:id/versions/:version` | | `VersionView` |
 * | `POST /preview` | `PreviewRequest` | `PreviewView` |
 * | `POST /:id/test` | `TestRequest` (email only) | `{ sendId, messageId }` |
 * | `GET /pdf/preview/:key` | | the PDF's bytes, `application/pdf` (PDF only) |
 *
 * Reading and previews take a viewer, all else an editor.
 */

/** What an author writes, with all that belongs to it. */
export interface TemplateSource {
  /** Of an email; empty for a PDF. */
  subject: string;
  /** HTML; of an email also MJML, if it begins with `<mjml`. */
  html: string;
  /** Of an email; empty if it is to be made from the HTML. */
  text: string;
  /** Of a PDF: name of the file that recipients see, which may have placeholders. */
  filename: string;
  variables: VariableDeclaration[];
  /** BCP 47. */
  locale: string;
  /** Of a PDF; null for an email. */
  page: PageOptions | null;
  /** What the preview is filled with; not part of what is published. */
  sample: Variables;
}

/** A line of the list. */
export interface TemplateRow {
  id: number;
  alias: string | null;
  name: string;
  publishedVersion: number | null;
  /** Whether the draft differs from what is published. */
  hasChanges: boolean;
  updatedAt: string;
  updatedBy: string | null;
  /** When a request last used it; null if none of the newest 1,000 sends did. */
  lastUsedAt: string | null;
}

/** A template as its editor needs it. */
export interface TemplateView extends TemplateRow {
  kind: TemplateKind;
  draft: TemplateSource;
  /** Grows with every change of the draft: anyone who saves says which one they have changed. */
  revision: number;
  /** For "copy as curl". */
  example: {
    integrationId: number | null;
    sender: string | null;
    /** Of a PDF template: the email template that it was last mailed with. */
    mailedWith: number | null;
  };
}

/** What a new template begins as. */
export interface NewTemplate {
  name: string;
  alias?: string | null;
  /** One of the examples of `EXAMPLES`, or an empty one. */
  example?: string;
}

/** An example that a new template may begin as. */
export interface ExampleRow {
  id: string;
  name: string;
  /** One sentence. */
  about: string;
}

/** A helper of templates, for completion. */
export interface HelperRow {
  name: string;
  kind: "block" | "inline";
  /** As it is called: `date value ["short"|"long"]`. */
  signature: string;
  summary: string;
  /** A piece of a template. */
  example: string;
}

/** A changed draft. */
export interface DraftChange {
  revision: number;
  source: TemplateSource;
}

/** A line of the history. */
export interface VersionRow {
  version: number;
  name: string;
  publishedAt: string;
  publishedBy: string | null;
  /** Whether requests use it now. */
  isCurrent: boolean;
  /** Whether it was made for a test mail and never published. */
  isTest: boolean;
}

/** A published version. */
export interface VersionView extends VersionRow {
  source: TemplateSource;
}

/** What is to be shown, saved or not. */
export interface PreviewRequest {
  /** Drawn by each open editor: a newer preview ends the wait for an older one of the same. */
  editor?: string;
  source: TemplateSource;
}

/** Something that the author should look at. `error` prevents publishing. */
export interface LintFinding {
  severity: "error" | "warning" | "info";
  part: "subject" | "html" | "text";
  /** From 1; null where it is about the whole. */
  line: number | null;
  column: number | null;
  /** Closed list in `lint_rules.ts` of `libs/templating`: `image_without_alt`, `gmail_clips`, … */
  rule: string;
  message: string;
  /** What the author can do; missing where the message says it. */
  remedy?: string;
}

/** What the real renderer, and the real printer, made of it. */
export interface PreviewView {
  /** Null if it could not be filled; the findings tell why. */
  output: {
    subject: string;
    /** Shown in a sandboxed frame without scripts, by `srcdoc`. */
    html: string;
    text: string;
    textGenerated: boolean;
    /** In bytes, of the HTML. */
    size: number;
  } | null;
  /** Of a PDF template: where its bytes are, and why not if they are not. */
  pdf: { key: string; size: number; blocked: string[] } | { failed: string } | null;
  /** What the template reads. */
  variables: FoundVariable[];
  /** Required variables that the sample lacks. */
  missing: string[];
  findings: LintFinding[];
  /** Faults of the source, at their places. */
  errors: TemplateFault[];
  /** In milliseconds. */
  tookMs: number;
}

/** A test mail of the draft, to the one who asks or another address. */
export interface TestRequest {
  revision: number;
  integrationId: number;
  sender: string;
  to: string;
  variables: Variables;
  /** PDF templates to attach. */
  attachments?: number[];
}
