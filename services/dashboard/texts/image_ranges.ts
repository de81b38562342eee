import { scanHtml, type ScannedAttribute } from "./scan_html.ts";
import { hideTags, templateTags } from "./template_tags.ts";

/** An image of a source. */
export interface ImageRange {
  /** Its address: from `start` to `end`, without quotes. */
  start: number;
  end: number;
  quote: '"' | "'" | "";
  /** Where the description of the image begins; null if it has none. */
  alt: number | null;
  /** Where an attribute can be added. */
  attributes: number;
}

/** Returns the images of HTML or MJML that have an address. */
export function imageRanges(source: string): ImageRange[] {
  return imagesIn(source).map(({ range }) => range);
}

/** An image and its attributes. */
export interface ScannedImage {
  range: ImageRange;
  isMjml: boolean;
  attributes: readonly ScannedAttribute[];
}

/** Returns the images of HTML or MJML that have an address, with their attributes. */
export function imagesIn(source: string): ScannedImage[] {
  const tags = templateTags(source);
  if (tags === null) return [];
  return scanHtml(hideTags(source, tags)).flatMap((piece) => {
    if (piece.type !== "open" || piece.name !== "img" && piece.name !== "mj-image") return [];
    const address = piece.attributes.find(({ name }) => name === "src");
    if (address === undefined || address.start === address.end) return [];
    const { start, end, quote } = address;
    const alt = piece.attributes.find(({ name }) => name === "alt");
    const isQuoted = alt !== undefined && alt.quote !== "";
    if (alt !== undefined && !isQuoted) return [];
    const attributes = piece.start + 1 + piece.name.length;
    const range = { start, end, quote, alt: isQuoted ? alt.start : null, attributes };
    return [{ range, isMjml: piece.name === "mj-image", attributes: piece.attributes }];
  });
}

/** Returns the name of the stored image that an image shows, if it shows one. */
export function shownImage(source: string, { start, end }: ImageRange): string | undefined {
  const [, double, single] = /^\s*\{\{\s*asset\s+(?:"([^"]*)"|'([^']*)')\s*\}\}\s*$/
    .exec(source.slice(start, end)) ?? [];
  return double ?? single;
}
