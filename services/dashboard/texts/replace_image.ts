import { imagesIn, type ScannedImage } from "./image_ranges.ts";

/** What an image says besides its address. */
export interface ImageLook {
  /** The description, empty for decoration; null if variables write it. */
  alt: string | null;
  /** In pixels; null if there is none, or it is no number of pixels. */
  width: number | null;
}

/** A stored image that is to be shown. */
export interface NewImage extends ImageLook {
  name: string;
  /** Width divided by height; null if that is not known. */
  ratio: number | null;
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Returns the description and the width of an image by its number, as its source has them. */
export function lookOfImage(source: string, number: number): ImageLook {
  const image = imagesIn(source)[number];
  const alt = image === undefined ? "" : valueOf(source, image, "alt") ?? "";
  const width = image === undefined ? null : pixelsOf(valueOf(source, image, "width"));
  return { alt: alt.includes("{{") ? null : readAlt(alt), width };
}

/**
 * Returns a source in which an image shows a stored one instead, with its description and width. A description
 * of null stays as it is, and so does a width of null, unless it was a number of pixels. A height in pixels
 * follows the width.
 */
export function replaceImage(
  source: string,
  number: number,
  { name, alt, width, ratio }: NewImage,
): string {
  const image = imagesIn(source)[number];
  if (image === undefined) return source;
  const { start, end, quote } = image.range;
  const address = `{{asset "${name}"}}`;
  const edits: Edit[] = [{ start, end, text: quote === "" ? `"${address}"` : address }];
  const set = (name: string, value: string) => edits.push(settingOf(image, name, value));
  const unit = image.isMjml ? "px" : "";
  const height = pixelsOf(valueOf(source, image, "height"));
  if (alt !== null) set("alt", writtenAlt(alt));
  if (width !== null) {
    set("width", `${width}${unit}`);
    if (height !== null && ratio !== null) set("height", `${Math.round(width / ratio)}${unit}`);
  } else {
    if (pixelsOf(valueOf(source, image, "width")) !== null) {
      edits.push(removalOf(source, image, "width"));
    }
    if (height !== null) edits.push(removalOf(source, image, "height"));
  }
  return edits.toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end),
      source,
    );
}

/** Returns a description as it stands in an attribute, between quotes of either kind. */
export function writtenAlt(alt: string): string {
  return alt.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")
    .replaceAll("{{", "{ {");
}

const REFERENCES: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">", "&nbsp;": " " },
};

function readAlt(alt: string): string {
  return alt.replaceAll(/&(?:amp|quot|#39|lt|gt|nbsp);/g, (one) => REFERENCES[one] ?? one);
}

function valueOf(
  source: string,
  { attributes }: ScannedImage,
  wanted: string,
): string | undefined {
  const found = attributes.find(({ name }) => name === wanted);
  return found && source.slice(found.start, found.end);
}

function pixelsOf(value: string | undefined): number | null {
  const [, digits] = /^\s*(\d{1,4})(?:px)?\s*$/.exec(value ?? "") ?? [];
  return digits === undefined ? null : Number(digits);
}

function settingOf({ attributes, range }: ScannedImage, wanted: string, value: string): Edit {
  const found = attributes.find(({ name }) => name === wanted);
  if (found === undefined) {
    return { start: range.attributes, end: range.attributes, text: ` ${wanted}="${value}"` };
  }
  const { start, end, quote } = found;
  return { start, end, text: quote === "" ? `"${value}"` : value };
}

function removalOf(source: string, { attributes }: ScannedImage, wanted: string): Edit {
  const { start = 0, end = 0, quote = "" } = attributes.find(({ name }) => name === wanted) ?? {};
  const [before = ""] = /\s*[a-z]+\s*=\s*["']?$/i.exec(source.slice(0, start)) ?? [];
  return { start: start - before.length, end: end + quote.length, text: "" };
}
