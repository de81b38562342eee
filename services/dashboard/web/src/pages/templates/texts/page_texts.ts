import { type MarkedText, readImageMark, readMarks } from "../../../../../texts/read_marks.ts";
import { textPlaces } from "../../../../../texts/text_places.ts";

/** The texts and images of a rendered page. */
export interface PageTexts {
  /** All that the page shows, without signs. */
  text: string;
  texts: readonly MarkedText[];
  values: ReadonlyMap<number, readonly string[]>;
  /** The number of each image of the page, in order; null if it has none. */
  images: readonly (number | null)[];
  /** Descriptions of the images, by their numbers. If an image occurs more than once, the first one. */
  descriptions: ReadonlyMap<number, string>;
}

/** A place on a page that can be edited. */
export interface PagePlace {
  target: { type: "text" | "image" | "partial"; number: number };
  /** What is there, for screen readers. */
  label: string;
  range: Range;
}

/** Reads the texts of a marked page. Nothing of it is loaded or run. */
export function pageTexts(marked: string): PageTexts {
  const page = new DOMParser().parseFromString(marked, "text/html");
  const { texts, images } = contentOf(page);
  const marks = images.map((image) => image.getAttribute("alt") ?? "");
  const descriptions = new Map<number, string>();
  for (const mark of marks.toReversed()) {
    const number = readImageMark(mark);
    if (number !== null) descriptions.set(number, readMarks(mark).text.trim());
  }
  return {
    ...readMarks(texts.map(({ data }) => data).join("")),
    images: marks.map(readImageMark),
    descriptions,
  };
}

/**
 * Finds the texts of a marked page on the same page without signs; none if the pages differ. The document is a
 * customer's: only its nodes are read, as names of its elements can hide its own functions.
 */
export function placesOn(page: Node, { text, texts, images }: PageTexts): PagePlace[] {
  const content = contentOf(page);
  const shown = content.texts.map(({ data }) => data).join("");
  if (content.images.length !== images.length) return [];
  const found = textPlaces(shown, { text, texts });
  if (found.length === 0 && texts.length > 0) return [];
  const starts: number[] = [];
  let length = 0;
  for (const { data } of content.texts) {
    starts.push(length);
    length += data.length;
  }
  const at = (offset: number, isEnd: boolean): [Text, number] | undefined => {
    const index = starts.findLastIndex((start) => isEnd ? start < offset : start <= offset);
    const node = content.texts[index];
    return node && [node, offset - (starts[index] ?? 0)];
  };
  const places = found.flatMap(({ type, number, start, end }): PagePlace[] => {
    const [from, to] = [at(start, false), at(end, true)];
    if (from === undefined || to === undefined || end <= start) return [];
    const range = new Range();
    range.setStart(...from);
    range.setEnd(...to);
    const label = shown.slice(start, end).replace(/\s+/g, " ").trim();
    return [{ target: { type, number }, label, range }];
  });
  const pictures = content.images.flatMap((image, index): PagePlace[] => {
    const number = images[index] ?? null;
    if (number === null) return [];
    const range = new Range();
    range.selectNode(image);
    return [{ target: { type: "image", number }, label: image.getAttribute("alt") ?? "", range }];
  });
  return [...places, ...pictures];
}

const UNSEEN = new Set(["HEAD", "SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "TITLE"]);

function contentOf(page: Node): { texts: Text[]; images: Element[] } {
  const texts: Text[] = [];
  const images: Element[] = [];
  const walker = document.createTreeWalker(
    page,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) => UNSEEN.has(node.nodeName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) texts.push(node as Text);
    else if (node.nodeName === "IMG") images.push(node as Element);
  }
  return { texts, images };
}
