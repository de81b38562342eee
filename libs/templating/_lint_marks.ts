import type { DraftSource } from "@posthaste/contracts";
import type { Found } from "./lint_finding.ts";
import { openPlaces } from "./_open_places.ts";
import { withoutComments } from "./_without_comments.ts";

/** Merge tags of other products; only those with no other meaning. */
const FOREIGN = new RegExp(
  [
    // <%asm_global_unsubscribe_raw_url%> of SendGrid, <%= name %> of ERB and EJS.
    /<%[-=]?\s{0,20}[\w.#]+[^%<>\n]{0,200}%>/,
    // *|FNAME|* and *|IF:NAME|* of Mailchimp and Mandrill.
    /\*\|[a-z][^|\n]{0,200}\|\*/,
    // %%first_name%% and %%=v(@name)=%% of Salesforce.
    /%%[a-z_][\w ]{0,60}%%/,
    /%%=[^%\n]{1,200}=%%/,
    // %recipient.name% of Mailgun.
    /%recipient\.\w[\w.-]{0,60}%/,
    // {% if name %} of Liquid.
    /\{%-?\s{0,20}(?:if|elsif|else|endif|unless|endunless|for|endfor|assign|capture|case|include|render)\b[^%\n]{0,200}%\}/,
  ].map(({ source }) => source).join("|"),
  "gi",
);
const MAX_SHOWN = 60;

/** Finds the merge tags of other products in all parts: recipients would see them unchanged. */
export function lintMarks(
  { subject, html, text, filename }: Pick<DraftSource, "subject" | "html" | "text" | "filename">,
): Found[] {
  const head = subject === "" ? filename : subject;
  return [
    ...marksIn("subject", head),
    ...marksIn("html", withoutHtmlComments(withoutComments(html))),
    ...marksIn("text", text),
  ];
}

function marksIn(part: Found["part"], source: string): Found[] {
  const placeOf = openPlaces(source);
  return [...source.matchAll(FOREIGN)].map(({ 0: mark, index }) => {
    const shown = mark.length > MAX_SHOWN ? `${mark.slice(0, MAX_SHOWN)}…` : mark;
    const message = `"${shown}" is not a placeholder: recipients would see it unchanged`;
    return { part, ...placeOf(index), rule: "foreign_tag", message };
  });
}

/** Blanks out comments. The text for Outlook in `<!--[if mso]>` stays, because Outlook shows it. */
function withoutHtmlComments(html: string): string {
  let shown = "";
  let from = 0;
  for (let at = html.indexOf("<!--"); at >= 0; at = html.indexOf("<!--", from)) {
    const end = html.indexOf("-->", at + 4);
    if (end < 0) break;
    const comment = html.slice(at, end + 3);
    const kept = /^<!--\s{0,20}\[if\b/i.test(comment) ? comment : comment.replace(/[^\n]/g, " ");
    shown += html.slice(from, at) + kept;
    from = end + 3;
  }
  return shown + html.slice(from);
}
