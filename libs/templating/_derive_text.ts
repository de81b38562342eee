import type { BlockTextBuilder, DomNode, Formatter } from "html-to-text";
import { leaveOutHidden, type StepsOf } from "./_leave_out_hidden.ts";
import { type HiddenPlaceholders, hidePlaceholders } from "./_placeholders.ts";

/** An element around the whole. Its content is walked from there, even if tags are missing. */
const WHOLE = "posthaste-whole";

/**
 * Returns the plain text of an HTML template, placeholders included: a link as `text [address]`, each row of
 * a table as a line, an image as its description. Hidden parts are left out: preheaders, and the invisible
 * characters that fill the rest of an inbox's line.
 */
export async function deriveText(html: string): Promise<string> {
  const { convert } = await import("html-to-text");
  const hidden = hidePlaceholders(html);
  const text = convert(`<${WHOLE}>${hidden.text}</${WHOLE}>`, {
    wordwrap: false,
    preserveNewlines: false,
    baseElements: { selectors: [WHOLE] },
    formatters: { cell, description, whole: shownOnly(stepsIn(hidden)) },
    selectors: [
      { selector: WHOLE, format: "whole" },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      { selector: "a", options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      { selector: "img", format: "description" },
      { selector: "table", format: "block", options: LINES },
      { selector: "tr", format: "block", options: LINES },
      { selector: "td", format: "cell" },
      { selector: "th", format: "cell" },
      { selector: "title", format: "skip" },
    ],
  });
  return tidyLines(hidden.restore(withLiterals(withoutFiller(text), hidden)));
}

/** Signs that Handlebars would read as a part of a placeholder, or of the one that follows. */
const ANYWHERE = /(?<!\\)(\\*)(\{{2,}\}*)/g;
const BEFORE_TAG = /(?<!\\)(\\*)(\{{2,}\}*|\{$|(?<=\\)$)/g;

/**
 * Writes the braces and backslashes that readers of the HTML see so that Handlebars prints them: `&#123;&#123;` is
 * no placeholder there, and must not become one.
 */
function withLiterals(text: string, { tags, wordOf, text: source }: HiddenPlaceholders): string {
  const prefix = wordOf(0).slice(0, -2);
  const tagOf = (word = "") => tags[Number(word.slice(prefix.length, -1))];
  // A tag behind one backslash prints its braces; behind two, the first one is printed.
  const printing = new Set<string | undefined>();
  for (const [, slash, word = ""] of source.matchAll(new RegExp(`(\\\\?)(${prefix}\\d+z)`, "g"))) {
    if (slash === "" && tagOf(word)?.startsWith("\\")) printing.add(word);
  }
  const words = new RegExp(`(${prefix}\\d+z)`, "gi");
  const shown = text.replace(words, (word) => {
    const known = word.toLowerCase();
    return printing.has(known) ? tagOf(known)?.slice(1) ?? "" : known;
  });
  const parts = shown.split(words);
  return parts.map((part, index) => {
    if (index % 2 === 1) return part;
    const next = tagOf(parts[index + 1]);
    const isBeforeTag = next !== undefined && !next.startsWith("\\");
    const written = part.replace(isBeforeTag ? BEFORE_TAG : ANYWHERE, printed);
    return index === 0 ? written : written.replace(/^\}+/, (braces) => printed(braces, "", braces));
  }).join("");
}

/** Of several backslashes before a placeholder, one is for the others. */
function printed(_: string, slashes: string, braces: string): string {
  return slashes + (slashes && "\\") + (braces && `{{trim "${braces}"}}`);
}

function shownOnly(stepsOf: StepsOf): Formatter {
  return (node, walk, builder) => {
    leaveOutHidden(node, stepsOf);
    walk(node.children, builder);
  };
}

/** Returns a function that finds the ends and branches of blocks in a text. */
function stepsIn({ order, tags, wordOf }: HiddenPlaceholders): StepsOf {
  return (text) =>
    order(text).flatMap((index) => {
      const tag = tags[index] ?? "";
      const isTurn = /^\{\{~?(?:\^~?\}|\s*else\b)/.test(tag);
      const isEnd = /^\{\{~?\//.test(tag);
      const isStart = !isTurn && /^\{\{~?[#^]/.test(tag);
      if (!isStart && !isEnd && !isTurn) return [];
      return [{ step: isStart ? 1 : isEnd ? -1 : 0, word: wordOf(index) }];
    });
}

const SPACES = /[ \t\u00a0\u00ad\u034f\u2007\u200b-\u200d\u2060\ufeff]{2,}/g;
const WITHOUT_WIDTH = /[\u00ad\u034f\u200b-\u200d\u2060\ufeff]/g;

/**
 * Removes fillers: many characters without a width, with spaces between them. A single one belongs to a word:
 * Persian needs U+200C, and joined emoji need U+200D.
 */
function withoutFiller(text: string): string {
  return text.replace(SPACES, (run) => {
    const isFiller = (run.match(WITHOUT_WIDTH)?.length ?? 0) > 1 || /\u00a0[ \t]*\u00a0/.test(run);
    return isFiller ? " " : run;
  });
}

const LINES = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

const cell: Formatter = (node, walk, builder: BlockTextBuilder) => {
  walk(node.children, builder);
  builder.addInline(" ");
};

const description: Formatter = (node: DomNode, _walk, builder) => {
  const alt = node.attribs?.["alt"];
  if (alt) builder.addInline(alt);
};

function tidyLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.join("\n").replace(/\n{3,}/g, "\n\n").trim();
}
