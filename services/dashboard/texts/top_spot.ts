import type { ImageSpot } from "./image_spot.ts";
import { scanElements, type ScannedElement } from "./scan_elements.ts";
import { templateTags } from "./template_tags.ts";
import { textItems } from "./text_items.ts";

/** The place above all else, and whether the image needs a section of its own there. */
export interface TopSpot extends ImageSpot {
  needsSection: boolean;
  /** Whether nothing else is in the element around it. */
  isAlone: boolean;
}

/**
 * Finds the place above all that a mail or a document shows: of MJML in the first column, if nothing is beside
 * or above it. Returns null if there is none, as in MJML without `mj-body`.
 */
export function topSpot(source: string): TopSpot | null {
  const tags = templateTags(source);
  if (tags === null) return null;
  const elements = scanElements(source, tags);
  const body = elements.find(({ name }) => name === "mj-body" || name === "body");
  const isMjml = body?.name === "mj-body" || elements.some(({ name }) => name.startsWith("mj-"));
  if (body === undefined && elements.some(({ name }) => name === "mjml")) return null;
  const start = body?.contentStart ?? contentStart(source);
  const firstIn = (from: number) => {
    const { index } = /\S/.exec(source.slice(from)) ?? { index: source.length - from };
    return from + index;
  };
  const spotIn = (from: number, end: number | null): Omit<TopSpot, "needsSection"> => {
    const at = firstIn(from);
    return at === source.length && from > 0
      ? { at: from, isBefore: false, neighbour: from, isAlone: false, isMjml }
      : { at, isBefore: true, neighbour: at, isAlone: at === end, isMjml };
  };
  const column = isMjml ? firstColumn(elements, { at: firstIn(start), firstIn }) : undefined;
  if (column !== undefined) {
    return { ...spotIn(column.contentStart, column.contentEnd), needsSection: false };
  }
  return { ...spotIn(start, body?.contentEnd ?? null), needsSection: isMjml };
}

/** Returns the column that a mail begins with, unless others are beside it. */
function firstColumn(
  elements: readonly ScannedElement[],
  { at, firstIn }: { at: number; firstIn: (from: number) => number },
): ScannedElement | undefined {
  let first = elements.find(({ start }) => start === at);
  // A wrapper contains sections, and those contain columns. MJML knows no deeper levels.
  for (const name of ["mj-wrapper", "mj-section"]) {
    if (first?.name !== name) continue;
    const outer = first;
    const count = elements.filter(({ parent }) => parent === outer).length;
    if (name === "mj-section" && count > 1) return undefined;
    const inner = firstIn(outer.contentStart);
    first = elements.find(({ start }) => start === inner);
  }
  return first?.name === "mj-hero" || first?.name === "mj-column" ? first : undefined;
}

/** What precedes the content of HTML without `<body>`. */
const BEFORE = new Set("html meta link base".split(" "));
/** The same, with content of their own. */
const BEFORE_WHOLE = new Set("head title style script".split(" "));
/** The name of a block of Handlebars that is shown at another place. */
const INLINE_PARTIAL = "{{#*";

/** Returns where the content of HTML without `<body>` begins. Calls of partials may hold the head. */
function contentStart(source: string): number {
  let start = 0;
  let unseen: string | undefined;
  for (const item of textItems(source) ?? []) {
    const { type, end } = item;
    const written = source.slice(item.start, end);
    const piece = type === "end" && "type" in item.piece ? item.piece : undefined;
    if (unseen !== undefined) {
      const isClosed = unseen === INLINE_PARTIAL
        ? type === "block" && /^\{\{~?\/\s*inline\b/.test(written)
        : piece?.type === "close" && piece.name === unseen;
      if (isClosed) [unseen, start] = [undefined, end];
    } else if (piece?.type === "open" && BEFORE_WHOLE.has(piece.name)) unseen = piece.name;
    else if (type === "end" && written.startsWith(INLINE_PARTIAL)) unseen = INLINE_PARTIAL;
    else if (piece === undefined ? type === "end" : piece.type === "other") start = end;
    else if (piece?.type === "open" && BEFORE.has(piece.name)) start = end;
    else if (type !== "characters" || written.trim() !== "") break;
  }
  return start;
}
