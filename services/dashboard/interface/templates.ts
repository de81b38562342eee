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
 * | `GET /:id/thumbnail` | | `ThumbnailView`: the draft, filled with its sample; for people only |
 * | `PUT /:id/draft` | `DraftChange` | `TemplateView`; 409 `conflict` if someone else changed it |
 * | `PATCH /:id` | `{ name?, alias? }` | `TemplateView`; 409 `name_taken` |
 * | `POST /:id/publish` | `{ revision }` | `TemplatePublished`; 422 `template_failed` with issues |
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

/** What a template has in each of its languages. */
export interface TemplateBody {
  /** For an email; empty for a PDF. */
  subject: string;
  /** HTML; for an email also MJML, if it begins with `<mjml`. */
  html: string;
  /** For an email; if empty, it is generated from the HTML. */
  text: string;
  /** For a PDF: name of the file that recipients see; may contain placeholders. */
  filename: string;
  /** For a PDF: the XML of its invoice, if it has one. */
  invoice?: string | undefined;
}

/** The source of a template. */
export interface TemplateSource extends TemplateBody {
  /** Bodies in further languages, by BCP 47 tags. */
  variants?: Record<string, TemplateBody> | undefined;
  variables: VariableDeclaration[];
  /** BCP 47 tag of its own body. */
  locale: string;
  /** For a PDF; null for an email. */
  page: PageOptions | null;
  /** Variables of the preview; not part of a version. */
  sample: Variables;
}

/** A line of the list. */
export interface TemplateRow {
  id: number;
  alias: string | null;
  name: string;
  publishedVersion: number | null;
  /** Whether the draft differs from the published version. */
  hasChanges: boolean;
  updatedAt: string;
  updatedBy: string | null;
  /** When a request last used it; null if none of the newest 1,000 sends did. */
  lastUsedAt: string | null;
  /** BCP 47 tags of the published version: that of its own body first. */
  languages: string[];
  /** Languages of the account's other templates that no language of this template covers. */
  missingLanguages: string[];
}

/** A template as its editor needs it. */
export interface TemplateView extends TemplateRow {
  kind: TemplateKind;
  draft: TemplateSource;
  /** Grows with every change of the draft: a save names the revision that it changes. */
  revision: number;
  /** Values for "copy as curl". */
  example: {
    integrationId: number | null;
    sender: string | null;
    /** For a PDF template: the email template that it was last sent with. */
    mailedWith: number | null;
  };
}

/** A template that was published. */
export interface TemplatePublished extends TemplateView {
  /** What could not be checked, as sentences without a final period. */
  warnings: string[];
}

/** The initial content of a new template. */
export interface NewTemplate {
  name: string;
  alias?: string | null;
  /** One of `EXAMPLES`; by default an empty one. */
  example?: string;
}

/** An example that a new template can start from. */
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
  /** Its signature: `date value ["short"|"long"]`. */
  signature: string;
  summary: string;
  /** A sample of its use in a template. */
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
  /** Whether it was created for a test mail and never published. */
  isTest: boolean;
}

/** A published version. */
export interface VersionView extends VersionRow {
  source: TemplateSource;
}

/** A source to preview, saved or not. */
export interface PreviewRequest {
  /** Random id of an open editor: a newer preview ends the wait for an older one of the same editor. */
  editor?: string;
  source: TemplateSource;
  /** The wanted language; by default that of its own body. */
  locale?: string;
}

/** A template as a list shows it, small. */
export interface ThumbnailView {
  /** Shown in a sandboxed frame without scripts. Null if the draft cannot be filled, or is too long. */
  html: string | null;
}

/** A problem that the author should look at. `error` prevents publishing. */
export interface LintFinding {
  severity: "error" | "warning" | "info";
  part: "subject" | "html" | "text" | "invoice";
  /** From 1; null if it concerns the whole. */
  line: number | null;
  column: number | null;
  /** Name of the partial with the place; missing for the template itself. */
  partial?: string | undefined;
  /** Closed list in `lint_rules.ts` of `libs/templating`: `image_without_alt`, `gmail_clips`, … */
  rule: string;
  message: string;
  /** What the author can do; missing if the message contains it. */
  remedy?: string;
}

/** The result from the real renderer and the real printer. */
export interface PreviewView {
  /** The tag of the language variant that is shown; null for its own body. */
  variant: string | null;
  /** Null if it could not be filled; the findings contain the reason. */
  output: {
    subject: string;
    /** Shown in a sandboxed frame without scripts, by `srcdoc`. */
    html: string;
    text: string;
    textGenerated: boolean;
    /** In bytes, of the HTML. */
    size: number;
  } | null;
  /** For a PDF template: where its bytes are, or why there are none. */
  pdf: {
    key: string;
    size: number;
    blocked: string[];
    missingGlyphs?: string[] | undefined;
    brokenFonts?: string[] | undefined;
  } | {
    failed: string;
  } | null;
  /** The variables that the template reads. */
  variables: FoundVariable[];
  /** Required variables that the sample lacks. */
  missing: string[];
  findings: LintFinding[];
  /** Faults of the source, with their places. */
  errors: TemplateFault[];
  /** In milliseconds. */
  tookMs: number;
}

/** Requests a test mail of the draft, to the caller or another address. */
export interface TestRequest {
  revision: number;
  integrationId: number;
  sender: string;
  to: string;
  variables: Variables;
  /** The wanted language. */
  locale?: string;
  /** PDF templates to attach. */
  attachments?: number[];
}
