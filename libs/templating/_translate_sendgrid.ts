import type { Note } from "./_note.ts";

/** Comparing blocks of SendGrid, with the corresponding helpers. */
const COMPARING: Readonly<Record<string, string>> = {
  equals: "eq",
  notEquals: "ne",
  greaterThan: "gt",
  lessThan: "lt",
  and: "and",
  or: "or",
};
/** Tags that SendGrid fills itself. */
const OWN =
  /^(?:unsubscribe|unsubscribe_preferences|weblink|sender_(?:name|address|city|state|zip))$/i;
const TAG = /<%[^%<>]{1,200}%>|\{\{\{[^{}]+\}\}\}|\{\{[^{}]+\}\}/g;
const ARGUMENT = /"[^"]*"|'[^']*'|\([^()]*\)|[^\s"'()]+/g;

/** Translates the dialect of SendGrid's dynamic templates. */
export function translateSendgrid(source: string, note: Note): string {
  const open: string[] = [];
  return source.replace(TAG, (tag, at: number) => {
    const leave = (why: string) => (note(at, tag, why), tag);
    if (tag.startsWith("<%")) {
      return leave(
        "SendGrid fills this in itself: write a variable of your own, such as {{unsubscribeUrl}}",
      );
    }
    const text = tag.replace(/^\{\{\{?|\}?\}\}$/g, "").trim();
    if (OWN.test(text)) return leave("SendGrid fills this in itself: give it as a variable");
    const [, name = "", rest = ""] = /^([#/]?\s*[\w.@]+)\s*([\s\S]*)$/.exec(text) ?? [];
    if (name.startsWith("#")) return opened(name.slice(1).trim(), rest, { open, tag, leave });
    if (name.startsWith("/")) {
      const begun = open.pop();
      return begun !== undefined && begun in COMPARING ? "{{/if}}" : tag;
    }
    if (name === "insert") return inserted(rest, tag, leave);
    if (name === "formatDate") return dated(rest, { tag, at, note });
    return tag;
  });
}

interface Tag {
  open: string[];
  tag: string;
  leave: (why: string) => string;
}

function opened(name: string, rest: string, { open, tag, leave }: Tag): string {
  open.push(name);
  const helper = COMPARING[name];
  if (helper === undefined) return tag;
  const given = rest.match(ARGUMENT) ?? [];
  if (given.length < 2) return leave(`"${name}" needs two values`);
  return `{{#if (${helper} ${rest.trim()})}}`;
}

/** Translates `{{insert name "default=friend"}}`. */
function inserted(rest: string, tag: string, leave: Tag["leave"]): string {
  const [path, fallback, more] = rest.match(ARGUMENT) ?? [];
  if (path === undefined || more !== undefined) return leave('"insert" needs a variable');
  if (fallback === undefined) return `{{${path}}}`;
  const [, quote, value] = /^(["'])default=([\s\S]*)\1$/.exec(fallback) ?? [];
  if (quote === undefined) return leave('"insert" takes "default=…" only');
  return tag.startsWith("{{{")
    ? `{{{default ${path} ${quote}${value}${quote}}}}`
    : `{{default ${path} ${quote}${value}${quote}}}`;
}

/** The parts of a date pattern, with the corresponding options. */
const PARTS: readonly [RegExp, string][] = [
  [/dddd/, 'weekday="long"'],
  [/ddd(?!d)/, 'weekday="short"'],
  [/YYYY/, 'year="numeric"'],
  [/(?<!Y)YY(?!Y)/, 'year="2-digit"'],
  [/MMMM/, 'month="long"'],
  [/(?<!M)MMM(?!M)/, 'month="short"'],
  [/(?<!M)MM(?!M)/, 'month="2-digit"'],
  [/(?<!M)M(?!M)/, 'month="numeric"'],
  [/DD/, 'day="2-digit"'],
  [/(?<!D)D(?!D)/, 'day="numeric"'],
  [/HH|hh/, 'hour="2-digit"'],
  [/(?<![Hh])[Hh](?![Hh])/, 'hour="numeric"'],
  [/mm/, 'minute="2-digit"'],
  [/ss/, 'second="2-digit"'],
];

/** Translates `{{formatDate timeStamp "MMMM DD, YYYY"}}`: the language decides on order and punctuation. */
function dated(
  rest: string,
  { tag, at, note }: { tag: string; at: number; note: Note },
): string {
  const [path, pattern, offset] = rest.match(ARGUMENT) ?? [];
  const [, format = ""] = /^["']([^"']*)["']$/.exec(pattern ?? "") ?? [];
  const options = PARTS.filter(([part]) => part.test(format)).map(([, option]) => option);
  if (path === undefined || options.length === 0) {
    note(at, tag, "The pattern of the date is a variable: write {{date value dateStyle=…}}");
    return tag;
  }
  const zone = offset === undefined ? "" : "; write the zone as tz=";
  note(at, tag, `The language decides on the order and signs of a date: check it${zone}`);
  return `{{date ${path} ${options.join(" ")}}}`;
}
