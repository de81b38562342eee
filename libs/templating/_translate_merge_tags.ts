import type { Note } from "./_note.ts";

const TAG = /\*\|([^|\n]{1,300})\|\*/g;
const NAME = /^[a-z_]\w*$/i;
const CONDITION = /^(IF|IFNOT|ELSEIF):\s*([a-z_]\w*)\s*(?:(!=|>=|<=|=|>|<)\s*(.*))?$/i;
const COMPARING: Readonly<Record<string, string>> = {
  "=": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
};
/** Tags that Mailchimp and Mandrill fill themselves. */
const OWN =
  /^(?:UNSUB|UNSUB_.*|UPDATE_PROFILE|ARCHIVE|FORWARD|REWARDS|ABUSE_EMAIL|CURRENT_YEAR|MC_.*|LIST_.*|LIST|DATE|RSS.*|FEED.*|CAMPAIGN_UID|UNIQID|USER_.*|INTERESTED|GROUPS?|HTML_LIST_.*|SHARE|TWITTER|FACEBOOK|LIKE|TRANSLATE|POLL|SURVEY|COUPON_CODE|PRODUCT.*|CART.*)$/i;

/** Translates the merge tags of Mailchimp, which Mandrill also reads. */
export function translateMergeTags(source: string, note: Note): string {
  let depth = 0;
  return source.replace(TAG, (tag, inside: string, at: number) => {
    const text = inside.trim();
    const leave = (why: string) => (note(at, tag, why), tag);
    const condition = CONDITION.exec(text);
    if (condition !== null) {
      const [, word = "", name = "", sign, value = ""] = condition;
      const kind = word.toUpperCase();
      if (OWN.test(name)) return leave(FILLED);
      if (kind !== "ELSEIF") depth++;
      const test = sign === undefined ? name : `(${COMPARING[sign]} ${name} ${quoted(value)})`;
      if (kind === "ELSEIF") return `{{else if ${test}}}`;
      return kind === "IF" ? `{{#if ${test}}}` : `{{#if (not ${test})}}`;
    }
    if (/^ELSE:?$/i.test(text)) {
      return depth > 0 ? "{{else}}" : leave("No condition is open here");
    }
    if (/^END:IF$/i.test(text)) {
      return depth-- > 0 ? "{{/if}}" : (depth = 0, leave("No condition is open here"));
    }
    return valueOf(text) ?? leave(OWN.test(text.split(":", 1)[0] ?? "") ? FILLED : UNKNOWN);
  });
}

const FILLED = "Mailchimp fills this in itself: write a variable of your own";
const UNKNOWN = "This tag has no counterpart";

function valueOf(text: string): string | undefined {
  const [, kind = "", name = ""] = /^(?:(UPPER|LOWER|URL|HTML):)?(.*)$/i.exec(text) ?? [];
  if (!NAME.test(name) || OWN.test(name)) return undefined;
  switch (kind.toUpperCase()) {
    case "UPPER":
      return `{{upper ${name}}}`;
    case "LOWER":
      return `{{lower ${name}}}`;
    case "URL":
      return `{{urlEncode ${name}}}`;
    case "HTML":
      return `{{{${name}}}}`;
    default:
      return `{{${name}}}`;
  }
}

function quoted(value: string): string {
  const text = value.trim();
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const bare = text.replace(/^(["'])([\s\S]*)\1$/, "$2");
  return bare.includes('"') ? `'${bare.replaceAll("'", "")}'` : `"${bare}"`;
}
