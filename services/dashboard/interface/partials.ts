/**
 * The routes, all below `/api/partials`. Reading and previews take a viewer, all else an editor:
 *
 * | route | takes | gives |
 * | --- | --- | --- |
 * | `GET /` | | `PartialRow[]` |
 * | `GET /:partial` | | `PartialView` |
 * | `PUT /:partial/draft` | `{ revision, source }` | `PartialView`; 409 `conflict` if someone else changed it |
 * | `POST /:partial/preview` | `{ source, template? }` | `PreviewView` |
 * | `GET /:partial/templates` | | `TouchedTemplate[]`: what publishing it publishes again |
 * | `POST /:partial/publish` | `{ revision }` | `PartialPublished`; 422 `template_failed` with issues |
 * | `DELETE /:partial` | | `{}`; 409 `conflict` if something has it |
 */

/** A partial, or the brand, in a list. */
export interface PartialRow {
  /** What templates call; `@brand` for the brand. */
  name: string;
  revision: number;
  /** Null before it is first published. */
  publishedVersion: number | null;
  /** Whether the draft was changed since it was published. */
  hasChanges: boolean;
  updatedAt: string;
}

/** A partial, or the brand, with its draft. */
export interface PartialView extends PartialRow {
  source: string;
  publishedSource: string | null;
}

/** A template that has a partial. */
export interface TouchedTemplate {
  kind: "email" | "pdf";
  id: number;
  name: string;
  /** The published version. */
  version: number | null;
  /** Whether it has a draft with unpublished changes, which stays. */
  hasDraft: boolean;
}

/** A published partial, and the templates that were published with it. */
export interface PartialPublished {
  version: number;
  templates: TouchedTemplate[];
  /** What could not be checked, as sentences without a final period. */
  warnings: string[];
}
