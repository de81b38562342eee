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

const DOCTYPE = /^\s*(?:<!--[\s\S]*?-->\s*)*<!doctype[^>]*>/i;

/**
 * The document that is given to the browser: the author's, with the policy and the page rule put
 * between its doctype and everything else. A document without a doctype gets one, so that it is
 * never laid out in quirks mode.
 */
export function printDocument(html: string, css: string): string {
  const source = html.replace(/^\uFEFF/, "");
  const doctype = DOCTYPE.exec(source)?.[0];
  return `${doctype ?? "<!DOCTYPE html>"}` +
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    `<style>${NO_SCREEN}${css}</style>${source.slice(doctype?.length ?? 0)}`;
}
