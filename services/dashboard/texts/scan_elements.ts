import { scanHtml } from "./scan_html.ts";
import { INLINE } from "./text_items.ts";
import { isEmptyTag } from "./text_ranges.ts";
import { hideTags, type TemplateTag } from "./template_tags.ts";

/** An element with content, with its place. */
export interface ScannedElement {
  /** In lower case. */
  name: string;
  parent: ScannedElement | null;
  start: number;
  /** Where its content begins. */
  contentStart: number;
  contentEnd: number;
  /** Null if it has no end tag. */
  end: number | null;
}

const VOID = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Its content has no elements. The scanner knows only those of HTML, such as `style`. */
const STYLES = "mj-style";

/** Without an end tag, they end where the next of their name begins. */
const IN_ROWS = new Set(["p", "li", "dt", "dd", "td", "th", "tr"]);

/**
 * Returns the elements of HTML or MJML with content, in the order of their start tags. Inline elements are left
 * out: they belong to texts. An end tag ends the innermost open element of its name, and all within it.
 *
 * @param tags The tags of Handlebars in the source.
 */
export function scanElements(source: string, tags: readonly TemplateTag[]): ScannedElement[] {
  const elements: ScannedElement[] = [];
  const open: ScannedElement[] = [];
  const counts = new Map<string, number>();
  const leave = (contentEnd: number) => {
    const element = open.pop();
    if (element === undefined) return;
    element.contentEnd = contentEnd;
    counts.set(element.name, (counts.get(element.name) ?? 0) - 1);
    return element;
  };
  for (const piece of scanHtml(hideTags(source, tags))) {
    if (piece.type !== "open" && piece.type !== "close") continue;
    const { type, name, start, end } = piece;
    if (VOID.has(name) || INLINE.has(name)) continue;
    if (open.at(-1)?.name === STYLES && !(type === "close" && name === STYLES)) continue;
    if (type === "close") {
      // Otherwise an end tag without a start tag would be looked for in all open elements.
      if (!counts.get(name)) continue;
      let element = leave(start);
      while (element !== undefined && element.name !== name) element = leave(start);
      if (element !== undefined) element.end = end;
    } else if (!isEmptyTag(source, piece)) {
      if (IN_ROWS.has(name) && open.at(-1)?.name === name) leave(start);
      const parent = open.at(-1) ?? null;
      const content = { contentStart: end, contentEnd: source.length };
      const element = { name, parent, start, ...content, end: null };
      elements.push(element);
      open.push(element);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return elements;
}

/** Returns the innermost element whose content has a place. */
export function elementAt(
  elements: readonly ScannedElement[],
  at: number,
): ScannedElement | null {
  let inner: ScannedElement | null = null;
  for (const element of elements) {
    if (element.start >= at) break;
    if (element.contentStart <= at && at <= element.contentEnd) inner = element;
  }
  return inner;
}
