/**
 * HTML tools know nothing of `{{…}}`: they reorder, escape and drop it. Each tag is therefore
 * replaced by a plain word while they work, and put back afterwards. The word is lower-case (it
 * may stand where an attribute's name does) and occurs nowhere else in the source.
 */
export interface HiddenPlaceholders {
  readonly text: string;
  /** Puts the tags back; a word that stood as an attribute may have become `word=""`. */
  readonly restore: (text: string) => string;
  /** The numbers of the tags whose words occur in the text, in that order. */
  readonly order: (text: string) => number[];
  readonly tags: readonly string[];
  /** The word that stands for a tag. */
  readonly wordOf: (tag: number) => string;
  /** The line in the source of a line of {@linkcode text}, both from 1. */
  readonly sourceLine: (line: number) => number;
  /** The line and column of a tag in the source, from 1. */
  readonly placeOf: (tag: number) => { line: number; column: number };
}

// No two alternatives begin alike: nothing to track back over, however hostile the source.
const TAG = new RegExp(
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

/** One look at the source finds a word that it does not have, whatever words it is made of. */
function freePrefix(source: string): string {
  if (!/phx/i.test(source)) return "phx";
  const taken = new Set([...source.matchAll(/phx(\d{1,9})x/gi)].map(([, n]) => Number(n)));
  let n = 0;
  while (taken.has(n)) n++;
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
