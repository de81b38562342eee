/** `<meta>` tags that only describe: an encoding, or a name that changes nothing in the browser. */
const HARMLESS_META =
  /<meta\s+(?:charset\s*=\s*["']?[\w-]+["']?|(?:name\s*=\s*["']?(?:viewport|author|description|generator|format-detection|x-apple-disable-message-reformatting)["']?|http-equiv\s*=\s*["']?(?:content-type|x-ua-compatible)["']?)(?:\s+content\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))?)\s*\/?>/gi;

/** `<style>` tags without a title: a title would choose among alternative style sheets. */
const HARMLESS_STYLE =
  /<style(?:\s+(?:type\s*=\s*["']?text\/css["']?|media\s*=\s*["']?[\w ]+["']?))*\s*>/gi;

/**
 * The tags that can set something on a document that outlives its content; those of frames, of whose
 * refusal another process tells, perhaps when the next document is shown already; and media, which may
 * go on to ask for sources when they are in no document any more (no test has seen it).
 */
const SUSPECT = /<(?:meta|style|link|base|i?frame|object|embed|audio|video)(?![a-z0-9-])/i;

/**
 * Whether a document may change the page it was shown in beyond its own content, so that the next
 * document needs a fresh page.
 *
 * Setting new content on a page keeps the browser's document object. A content security policy, a
 * refresh, a default style sheet or a titled `<style>` stays with that object and would change how
 * somebody else's PDF looks. What is not known to be harmless counts as a trace: a fresh page
 * costs about 18 ms of processor time, so plain documents are worth telling apart.
 */
export function leavesTraces(html: string): boolean {
  return SUSPECT.test(html.replace(HARMLESS_META, "").replace(HARMLESS_STYLE, ""));
}
