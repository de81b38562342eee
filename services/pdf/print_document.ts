/**
 * What a document may load: nothing but what it carries with it. Scripts, frames, forms and every
 * address but `data:` are refused, whatever the proxy says.
 */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; " +
  "form-action 'none'; base-uri 'none'";

/**
 * Hides the document from the screen nobody looks at: layout and raster for it would cost a third
 * of the time of a print. Printing does not see it.
 */
const NO_SCREEN = "@media screen{html{display:none!important}}";

/** What the printer puts in front of a document. */
export interface DocumentFrame {
  css: string;
  /** Language in place of the document's own. */
  language?: string | undefined;
}

/**
 * Returns the document that is given to the browser: a doctype, the policy and the page rule, and then
 * all that the author wrote. Nothing of theirs can come first, whatever it is. Their own doctype is
 * ignored (HTML, 13.2.6.4.4: a parse error), so that no document is laid out in quirks mode.
 */
export function printDocument(html: string, { css, language }: DocumentFrame): string {
  // What the first tag says of the language, a second one cannot change (HTML, 13.2.6.4.7).
  const root = language === undefined ? "" : `<html lang="${language}">`;
  return `<!DOCTYPE html>${root}<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    `<style>${NO_SCREEN}${css}</style>${html.replace(/^\uFEFF/, "")}`;
}
