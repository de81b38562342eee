/** A partial, or the brand, in a list. */
export interface PartialRow {
  /** What templates call; `@brand` for the brand. */
  name: string;
  revision: number;
  /** Null before it is first published. */
  publishedVersion: number | null;
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
}
