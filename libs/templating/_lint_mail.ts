import { tagsOf } from "./html_tags.ts";
import type { Found } from "./lint_finding.ts";

/**
 * The length at which Gmail cuts the HTML of a mail, in bytes. Google does not document it. Senders have observed
 * 102 KB for years.
 */
const GMAIL_BYTES = 102_000;
/** The length of a subject that clients show on a wide screen. */
const SUBJECT_CHARACTERS = 70;
/** The part of a mail with the hidden text that inboxes show beside the subject. */
const BEGINNING = 4_000;
const NEWSLETTER_LINKS = 5;
const HIDDEN =
  /display\s*:\s*none|max-height\s*:\s*0|mso-hide\s*:\s*all|opacity\s*:\s*0|font-size\s*:\s*[01]px|pre-?header/i;
const MARKETING =
  /\b(?:newsletter|digest|sale|special offer|discount|promo|shop now|% off|this (?:week|month)|angebot|rabatt|gutschein|soldes|promotion|oferta|descuento)\b|\d\s?% off/i;
const UNSUBSCRIBE =
  /unsubscribe|opt.?out|(?:mail|notification|email) preferences|abmelden|abbestellen|austragen|désinscri|désabonn|darse de baja|cancelar (?:la )?suscripción|avmeld|afmeld|disiscriv/i;

/** Checks a whole mail: its source, and the result for its recipient. */
export function lintMail(
  written: string,
  output: { subject: string; html: string; text: string } | undefined,
): Found[] {
  if (output === undefined) return [];
  const { subject, html, text } = output;
  const found: Found[] = [];
  const whole = { line: null, column: null };
  const size = Buffer.byteLength(html);
  if (size > GMAIL_BYTES) {
    const message = `The HTML has ${
      Math.round(size / 1000)
    } KB with this sample: Gmail cuts it off at 102 KB`;
    found.push({ ...whole, part: "html", rule: "gmail_clips", message });
  }
  if (subject === "") {
    found.push({
      ...whole,
      part: "subject",
      rule: "empty_subject",
      message: "There is no subject",
    });
  }
  if ([...subject].length > SUBJECT_CHARACTERS) {
    const message = `The subject has ${
      [...subject].length
    } characters: inboxes show about 40 on phones and 70 on computers`;
    found.push({ ...whole, part: "subject", rule: "subject_too_long", message });
  }
  if (html !== "" && !hasPreheader(written, html)) {
    const message =
      "Inboxes show the start of the message beside its subject: a hidden first text " +
      "(mj-preview in MJML) sets what they show";
    found.push({ ...whole, part: "html", rule: "no_preheader", message });
  }
  if (looksLikeNewsletter(html, text) && !UNSUBSCRIBE.test(html) && !UNSUBSCRIBE.test(text)) {
    const message = "Marketing messages need an unsubscribe link in most countries; messages " +
      "about an order or an account do not";
    found.push({ ...whole, part: "html", rule: "missing_unsubscribe", message });
  }
  return found;
}

function hasPreheader(written: string, html: string): boolean {
  if (/<mj-preview[\s>]/i.test(written)) return true;
  const body = html.search(/<body[\s>]/i);
  return HIDDEN.test(html.slice(Math.max(0, body), Math.max(0, body) + BEGINNING));
}

function looksLikeNewsletter(html: string, text: string): boolean {
  if (!MARKETING.test(text)) return false;
  const links = new Set<string>();
  for (const { name, attributes } of tagsOf(html)) {
    const href = attributes.find((one) => one.name === "href")?.value ?? "";
    if (name === "a" && /^https?:/i.test(href)) links.add(href);
    if (links.size >= NEWSLETTER_LINKS) return true;
  }
  return false;
}
