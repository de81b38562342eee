import type { TextToken } from "./text_tokens.ts";

/** How a text is written. */
export interface WritingOptions {
  /** Whether it has no elements, as a subject or a text part: nothing is escaped. @default {false} */
  isPlain?: boolean;
}

/**
 * Returns the source of a changed text. What is the same at its beginning and end stays as it was written, with
 * its line breaks and character references. Spaces at the ends are left out.
 */
export function writeText(
  before: readonly TextToken[],
  after: readonly Pick<TextToken, "type" | "key">[],
  { isPlain = false }: WritingOptions = {},
): string {
  const tokens = isPlain ? after : trimmed(after);
  let same = 0;
  while (same < before.length && same < tokens.length && isSame(before[same], tokens[same])) same++;
  let until = before.length;
  let end = tokens.length;
  while (until > same && end > same && isSame(before[until - 1], tokens[end - 1])) until--, end--;
  const written = before.find(({ type }) => type === "break")?.raw;
  const lineBreak = isPlain ? written ?? "\n" : written?.trim() ?? "<br>";
  const changed = tokens.slice(same, end).map(({ type, key }, index) => {
    if (type === "break") return lineBreak;
    if (type !== "character" || isPlain) return key;
    const next = tokens[same + index + 1];
    return escaped(key, { isBeforeTag: next === undefined || next.type !== "character" });
  });
  const kept = (from: number, to?: number) => before.slice(from, to).map(({ raw }) => raw);
  return [...kept(0, same), ...changed, ...kept(until)].join("");
}

function isSame(a: TextToken | undefined, b: Pick<TextToken, "type" | "key"> | undefined): boolean {
  return a !== undefined && b !== undefined && a.type === b.type && a.key === b.key;
}

function trimmed(tokens: readonly Pick<TextToken, "type" | "key">[]) {
  const isEdge = ({ type, key }: Pick<TextToken, "type" | "key">) =>
    type === "character" && " \t\r\n\f".includes(key);
  const from = tokens.findIndex((token) => !isEdge(token));
  return from === -1 ? [] : tokens.slice(from, tokens.findLastIndex((token) => !isEdge(token)) + 1);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  // A brace beside another one would begin or end a placeholder.
  "{": "&#123;",
  "}": "&#125;",
  // These would be invisible in the source.
  "\u00a0": "&nbsp;",
  "\u00ad": "&shy;",
  "\u200b": "&#8203;",
  "\u200c": "&zwnj;",
  "\u200d": "&zwj;",
};

function escaped(character: string, { isBeforeTag }: { isBeforeTag: boolean }): string {
  // Handlebars takes a placeholder after it as text.
  if (character === "\\" && isBeforeTag) return "&#92;";
  return ESCAPES[character] ?? character;
}
