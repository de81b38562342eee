/**
 * The content security policy: a document may load only its own content. Scripts, frames, forms and every
 * address but `data:` are refused, whatever the proxy says.
 */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; " +
  "form-action 'none'; base-uri 'none'";

/**
 * Hides the document on the unused screen, whose layout and raster would cost a third of the time of a print.
 * It has no effect on the print.
 */
const NO_SCREEN = "@media screen{html{display:none!important}}";

/** What the printer writes in front of a document. */
export interface DocumentFrame {
  css: string;
  /** Language in place of the document's own. */
  language?: string | undefined;
}

/**
 * Returns the document for the browser: a doctype, the policy and the page rule, and then the author's HTML,
 * which can never come first. Its own doctype is ignored (HTML, 13.2.6.4.4: a parse error), so that no
 * document is laid out in quirks mode.
 */
export function printDocument(html: string, { css, language }: DocumentFrame): string {
  // A second tag cannot change the language of the first (HTML, 13.2.6.4.7).
  const root = language === undefined ? "" : `<html lang="${language}">`;
  return `<!DOCTYPE html>${root}<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    `<style>${NO_SCREEN}${css}</style>${html.replace(/^\uFEFF/, "")}`;
}
