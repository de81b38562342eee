import { hasSigns } from "./mark_signs.ts";
import { matchedItems } from "./matched_items.ts";
import type { HtmlPiece } from "./scan_html.ts";
import { type TextItem, textItems } from "./text_items.ts";

/** A text that a reader sees, in a source: from `start` to `end`, without spaces around it. */
export interface TextRange {
  start: number;
  end: number;
  /** The tags that print values in it. */
  values: readonly { start: number; end: number }[];
}

/** The elements whose content no reader sees as text. */
export const UNSEEN: ReadonlySet<string> = new Set(
  ("head style script title textarea select noscript template svg math object iframe pre xmp " +
    "mj-attributes mj-style mj-title").split(" "),
);
/** The elements of MJML that contain text. */
const MJML_TEXT = new Set(
  ("mj-text mj-button mj-table mj-raw mj-preview mj-accordion-title mj-accordion-text mj-navbar-link " +
    "mj-social-element").split(" "),
);
const IN_TABLE = new Set(["table", "tbody", "thead", "tfoot", "tr", "colgroup"]);
const AFTER_CELL = new Set(["td", "th", "tr", "tbody", "thead", "tfoot", "colgroup", "caption"]);

/**
 * Returns the texts of HTML or MJML that a person can edit in its preview: characters and values with the
 * inline elements and blocks that are whole within them. It takes time proportional to the length.
 */
export function textRanges(source: string): TextRange[] {
  const all = hasSigns(source) ? null : textItems(source);
  if (all === null) return [];
  const isMjml = /<mj(?:ml\b|-)/i.test(source);
  const ranges: TextRange[] = [];
  let unseen: string | undefined;
  let isInText = !isMjml;
  let isInTable = false;
  let items: TextItem[] = [];
  const flush = () => {
    if (unseen === undefined && isInText && !isInTable) ranges.push(...rangesIn(items, source));
    items = [];
  };
  for (const item of all) {
    if (item.type !== "end") {
      items.push(item);
      continue;
    }
    flush();
    const { piece } = item;
    if (!("type" in piece)) continue;
    isInTable = isTableStructure(piece);
    if (piece.type !== "open" && piece.type !== "close") continue;
    const { type, name } = piece;
    if (unseen !== undefined) {
      if (type === "close" && name === unseen || type === "open" && name === "body") {
        unseen = undefined;
      }
    } else if (type === "open" && UNSEEN.has(name) && !isEmptyTag(source, piece)) unseen = name;
    if (isMjml && MJML_TEXT.has(name)) isInText = type === "open" && !isEmptyTag(source, piece);
  }
  flush();
  return ranges;
}

/** Returns whether text directly after a piece would stand between the cells of a table. */
function isTableStructure(piece: HtmlPiece): boolean {
  if (piece.type === "open") return IN_TABLE.has(piece.name);
  return piece.type === "close" && AFTER_CELL.has(piece.name);
}

/** Returns whether a tag ends itself, as in MJML. */
export function isEmptyTag(source: string, { end }: { end: number }): boolean {
  return source.startsWith("/>", end - 2);
}

/** Returns the texts among items that stand side by side. */
export function rangesIn(items: readonly TextItem[], source: string): TextRange[] {
  const isMatched = matchedItems(items);
  const groups: TextItem[][] = [[]];
  for (const [index, item] of items.entries()) {
    if (isMatched[index]) groups.at(-1)?.push(item);
    else groups.push([]);
  }
  return groups.flatMap((group) => {
    const trimmed = withoutEdges(group, source);
    const [first, last] = [trimmed[0], trimmed.at(-1)];
    if (first === undefined || last === undefined || !isSeen(trimmed, source)) return [];
    const values = trimmed.filter(({ type }) => type === "value")
      .map(({ start, end }) => ({ start, end }));
    return [{ start: first.start, end: last.end, values }];
  });
}

/** Returns the items without spaces and line breaks around them. */
function withoutEdges(items: readonly TextItem[], source: string): TextItem[] {
  const textOf = ({ start, end }: TextItem) => source.slice(start, end);
  const isEdge = (item: TextItem) =>
    item.type === "leaf" || item.type === "characters" && withoutSpaces(textOf(item)) === "";
  const from = items.findIndex((item) => !isEdge(item));
  const inner = from === -1
    ? []
    : items.slice(from, items.findLastIndex((item) => !isEdge(item)) + 1);
  return inner.map((item, index) => {
    if (item.type !== "characters") return item;
    const { start, end } = item;
    const text = textOf(item);
    const spaces = text.length - text.replace(/^[ \t\r\n\f]+/, "").length;
    return {
      ...item,
      start: index === 0 ? start + spaces : start,
      end: index === inner.length - 1 ? start + withoutSpaces(text).length : end,
    };
  });
}

/** Returns a text without spaces at its end. */
function withoutSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n\f".includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

/** Returns whether items show anything: not only spaces, nor only values that may be elements. */
function isSeen(items: readonly TextItem[], source: string): boolean {
  const hasCharacters = items.some((item) =>
    item.type === "characters" && /\S/.test(source.slice(item.start, item.end)) ||
    item.type === "reference" && /[^\s\u00ad\u034f\u200b-\u200f\u2060\ufeff]/.test(item.text)
  );
  const values = items.filter((item) => item.type === "value");
  return hasCharacters || values.length > 0 && !values.some(({ isRaw }) => isRaw);
}
