import type { RenderError } from "./render_error.ts";

/** A template as callers name it. */
export interface TemplateSource {
  /**
   * A name for this exact text, such as `account/email/12/3/html`: the workers keep the compiled
   * template under it. Should another text come under the same key, it is compiled anew.
   */
  readonly key: string;
  readonly source: string;
  /** `html` escapes the values, `none` is for subjects and plain text. */
  readonly escape: "html" | "none";
  /** Default `en`. */
  readonly locale?: string;
  /** Default `UTC`. */
  readonly timeZone?: string;
}

/** One set of values, and which of the templates to fill with it (all, unless said). */
export interface Fill {
  readonly use?: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Templates by a name of the caller's choice, and the fills of them. */
export interface FillRequest {
  readonly templates: Readonly<Record<string, TemplateSource>>;
  readonly fills: readonly Fill[];
  /** Whose they are: the workers' time is shared fairly among owners. Default: one for all. */
  readonly owner?: string;
  /**
   * Characters after which the rest is left: those fills give the error `later`, and may be asked
   * for again. It bounds what the caller holds at once. Default: no bound.
   */
  readonly textBudget?: number;
  /**
   * Somebody waits for the answer. While the owner's fills are slow only four of these wait for a
   * worker; the others give the error `busy` at once.
   */
  readonly urgent?: boolean;
}

/** The texts of one fill by the names of its templates, or why there are none. */
export type FillResult =
  | { readonly ok: true; readonly parts: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly error: RenderError };
