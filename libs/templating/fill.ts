import type { RenderError } from "./render_error.ts";

/** A template as callers name it. */
export interface TemplateSource {
  /**
   * A name for this exact text, such as `account/email/12/3/html`: the workers keep the compiled template
   * under it. If another text comes under the same key, it is compiled again.
   */
  readonly key: string;
  readonly source: string;
  /** `html` and `xml` escape the values; `none` is for subjects and plain text. */
  readonly escape: "html" | "xml" | "none";
  /** @default {"en"} */
  readonly locale?: string;
  /** @default {"UTC"} */
  readonly timeZone?: string;
  /** What `{{asset "name"}}` becomes, by name. @default {} */
  readonly assets?: Readonly<Record<string, string>> | undefined;
}

/** One set of values, and the templates to fill with it (`use`; by default, all). */
export interface Fill {
  readonly use?: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Templates by a name of the caller's choice, and the fills of them. */
export interface FillRequest {
  readonly templates: Readonly<Record<string, TemplateSource>>;
  readonly fills: readonly Fill[];
  /** The account that they belong to: owners share the workers' time fairly. @default one for all */
  readonly owner?: string;
  /**
   * Characters after which the rest is left out: those fills return the error `later`, and may be requested
   * again. It limits what the caller holds at the same time. @default no limit
   */
  readonly textBudget?: number;
  /**
   * A person waits for the answer. While the owner's fills are slow, only four of these wait for a worker;
   * the others return the error `busy` immediately.
   */
  readonly urgent?: boolean;
}

/** The texts of one fill by the names of its templates, or its error. */
export type FillResult =
  | { readonly ok: true; readonly parts: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly error: RenderError };
