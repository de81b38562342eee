import { elementAt, scanElements, type ScannedElement } from "./scan_elements.ts";
import { type TemplateTag, templateTags } from "./template_tags.ts";
import { textItems } from "./text_items.ts";
import { textRanges } from "./text_ranges.ts";
import { traceOf } from "./trace_of.ts";

/** Where a new image goes: above or below a text, by its number, or above all else. */
export type ImagePlace = { side: "above" | "below"; text: number } | { side: "top" };

/** A place of a source for a new image. */
export interface ImageSpot {
  at: number;
  /** Whether the image is directly before or after what is there. */
  isBefore: boolean;
  /** What it stands beside begins here: the image is indented like it. */
  neighbour: number;
  /** Whether it is an element of MJML. */
  isMjml: boolean;
}

/** The elements of MJML that may contain `mj-image`. */
const COLUMNS = new Set(["mj-column", "mj-hero"]);
/** The elements of MJML whose content is HTML in which an image may stand. */
const HTML_CONTENT = new Set(["mj-text", "mj-raw", "mj-table"]);
const PARAGRAPHS = new Set("p h1 h2 h3 h4 h5 h6".split(" "));
/** The elements that may be around a text which is the first or the last one of its `mj-text`. */
const WRAPPERS = new Set([...PARAGRAPHS, "div", "center", "section"]);
/** Their content is one below the other. That of a `div` may be side by side. */
const FLOW = new Set("body td th li dd blockquote mj-text mj-raw".split(" "));

/**
 * Finds the place above or below a text: beside its paragraph, or beside its `mj-text` where only `mj-image`
 * may stand, otherwise directly beside its words. It is inside of the same conditions and loops. Returns null
 * if no image can be there, as in `mj-preview`.
 */
export function spotBeside(
  source: string,
  { side, text }: ImagePlace & { text: number },
): ImageSpot | null {
  const range = textRanges(source)[text];
  const tags = templateTags(source);
  if (range === undefined || tags === null) return null;
  const isBefore = side === "above";
  const around: ScannedElement[] = [];
  let element = elementAt(scanElements(source, tags), range.start);
  for (; element !== null; element = element.parent) around.push(element);
  if (around.some(({ name }) => name === "mj-head" || name === "mj-preview")) return null;

  const isNear = (one: ScannedElement) => isEdge(source, tags, { one, range, isBefore });
  const beside = ({ start, end }: ScannedElement, isMjml: boolean): ImageSpot | null =>
    isBefore || end !== null
      ? { at: isBefore ? start : end ?? start, isBefore, neighbour: start, isMjml }
      : null;
  const holder = around.find(({ name }) => name.startsWith("mj-"));
  if (holder !== undefined) {
    const inColumn = around.find(({ parent }) => parent !== null && COLUMNS.has(parent.name));
    if (!HTML_CONTENT.has(holder.name)) {
      return inColumn === undefined ? null : beside(inColumn, true);
    }
    const isRow = inColumn === holder && holder.name !== "mj-table";
    if (isRow && isNear(holder)) return beside(holder, true);
  }
  const [own] = around;
  const isParagraph = own !== undefined && PARAGRAPHS.has(own.name) &&
    (own.parent === null || FLOW.has(own.parent.name)) && isNear(own);
  const { start, end } = range;
  return (isParagraph ? beside(own, false) : null) ??
    { at: isBefore ? start : end, isBefore, neighbour: start, isMjml: false };
}

/**
 * Returns whether nothing is shown between an edge of an element and a text in it, and both are inside of the
 * same conditions and loops.
 */
function isEdge(
  source: string,
  tags: readonly TemplateTag[],
  { one, range, isBefore }: {
    one: ScannedElement;
    range: { start: number; end: number };
    isBefore: boolean;
  },
): boolean {
  const { start, contentStart, contentEnd, end } = one;
  if (!isBefore && end === null) return false;
  const between = isBefore
    ? source.slice(contentStart, range.start)
    : source.slice(range.end, contentEnd);
  const isEmpty = (textItems(between) ?? []).every((item) => {
    const { type } = item;
    const piece = type === "end" && "type" in item.piece ? item.piece : undefined;
    const isTag = piece?.type === "open" || piece?.type === "close";
    return isTag ? WRAPPERS.has(piece.name) : traceOf(item, between) === "nothing";
  });
  const [outer, inner] = isBefore ? [start, range.start] : [end ?? start, range.end];
  return isEmpty && blocksAt(source, tags, outer) === blocksAt(source, tags, inner);
}

/** Returns the blocks of Handlebars around a place: different ones for the branches of a condition. */
function blocksAt(source: string, tags: readonly TemplateTag[], at: number): string {
  const open: number[] = [];
  for (const { start, end, role } of tags) {
    if (start >= at) break;
    const isCall = role === "other" && /^\{\{~?#/.test(source.slice(start, end));
    if (role === "open" || isCall) open.push(start);
    else if (role === "close") open.pop();
    else if (role === "else" && open.length > 0) open[open.length - 1] = start;
  }
  return open.join();
}
