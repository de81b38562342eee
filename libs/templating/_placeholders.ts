import { randomInt } from "node:crypto";

/**
 * A source without placeholders. HTML tools do not know `{{…}}`: they reorder, escape and drop it. Each tag
 * is therefore replaced by a plain word while they work, and restored afterwards. The word is lower-case (it
 * may be in the place of an attribute's name) and occurs nowhere else in the source.
 */
export interface HiddenPlaceholders {
  readonly text: string;
  /** Restores the tags. A word in the place of an attribute may have become `word=""`. */
  readonly restore: (text: string) => string;
  /** Returns the numbers of the tags whose words occur in the text, in that order. */
  readonly order: (text: string) => number[];
  readonly tags: readonly string[];
  /** Returns the word that replaces a tag. */
  readonly wordOf: (tag: number) => string;
  /** Returns the line in the source of a line of {@linkcode text}, both from 1. */
  readonly sourceLine: (line: number) => number;
  /** Returns the line and column of a tag in the source, from 1. */
  readonly placeOf: (tag: number) => { line: number; column: number };
}

/** A tag of Handlebars. No two alternatives begin alike, so there is no backtracking on any source. */
export const TAG = new RegExp(
  [
    /\\?\{\{~?!--[\s\S]*?--~?\}\}/,
    /\\?\{\{~?![\s\S]*?\}\}/,
    /\\?\{\{~?\{[\s\S]*?\}~?\}\}/,
    /\\?\{\{(?:"[^"]*"|'[^']*'|\[[^\]]*\]|[^}"'[]|\}(?!\}))*\}\}/,
  ].map(({ source }) => source).join("|"),
  "g",
);

/** Hides every tag of a source that has passed the check. */
export function hidePlaceholders(source: string): HiddenPlaceholders {
  const prefix = freePrefix(source);
  const tags: string[] = [];
  const offsets: number[] = [];
  const text = source.replace(TAG, (tag, offset: number) => {
    offsets.push(offset);
    return `${prefix}${tags.push(tag) - 1}z`;
  });
  const word = new RegExp(`${prefix}(\\d+)z`, "gi");
  const wordOrAttribute = new RegExp(`${prefix}(\\d+)z(?:="")?`, "gi");
  return {
    text,
    tags,
    wordOf: (tag) => `${prefix}${tag}z`,
    restore: (changed) => changed.replace(wordOrAttribute, (_, index) => tags[Number(index)] ?? ""),
    order: (changed) => [...changed.matchAll(word)].map(([, index]) => Number(index)),
    sourceLine: (line) => line + hiddenLinesBefore(text, tags, word, line),
    placeOf: (tag) => {
      const before = source.slice(0, offsets[tag]);
      const column = before.length - before.lastIndexOf("\n");
      return { line: before.split("\n").length, column };
    },
  };
}

/**
 * Returns a word that the source does not contain, in one scan, whatever the source. Nobody can know it before: the
 * tools join texts and read character references, by which `p&#104;x` is that word, too.
 */
function freePrefix(source: string): string {
  const taken = new Set([...source.matchAll(/phx(\d{1,9})x/gi)].map(([, n]) => Number(n)));
  let n = randomInt(1_000_000_000);
  while (taken.has(n)) n = (n + 1) % 1_000_000_000;
  return `phx${n}x`;
}

function hiddenLinesBefore(
  text: string,
  tags: readonly string[],
  word: RegExp,
  line: number,
): number {
  const before = text.split("\n").slice(0, line - 1).join("\n");
  return [...before.matchAll(word)].reduce(
    (sum, [, index]) => sum + (tags[Number(index)] ?? "").split("\n").length - 1,
    0,
  );
}
