import { type HtmlAttribute, type HtmlTag, tagsOf } from "@posthaste/templating";

/** Returns the address that replaces an image's address; `undefined` keeps it. */
export type AddressOf = (url: string) => string | undefined;

/** A place in HTML that contains addresses of images. */
export interface ImagePlace {
  /** Absolute, `http` or `https`. */
  urls: string[];
  /** First position; `end` is exclusive. */
  start: number;
  end: number;
  /** Returns the new text of this place. */
  write(addressOf: AddressOf): string;
}

const CSS_URL =
  /url\(\s*(?:"(https?:[^"\\\n]*)"|'(https?:[^'\\\n]*)'|(https?:[^\s"'()\\]*))\s*\)/gi;
const WEB = /^\s*https?:/i;

/** The attributes that contain the address of an image. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  img: ["src"],
  input: ["src"],
  image: ["href", "xlink:href"],
  body: ["background"],
  table: ["background"],
  td: ["background"],
  th: ["background"],
};

/**
 * Finds the images that HTML names by `http` or `https`: `src` of images, `href` of SVG images, `background`
 * of tables, `url()` in styles. Images that it does not find stay unchanged, and the browser refuses to load
 * them. A `srcset` with addresses is removed, so that `src` counts.
 */
export function findImages(html: string): ImagePlace[] {
  if (!/https?:/i.test(html)) return [];
  return [...tagsOf(html)].flatMap((tag) => [
    ...tag.attributes.flatMap((attribute) => inAttribute(tag, attribute)),
    ...inStyle(tag, html),
  ]);
}

/** Replaces the addresses in the places of images. */
export function withAddresses(
  html: string,
  places: readonly ImagePlace[],
  addressOf: AddressOf,
): string {
  let written = "";
  let at = 0;
  for (const { start, end, write } of places) {
    written += html.slice(at, start) + write(addressOf);
    at = end;
  }
  return written + html.slice(at);
}

function inAttribute(tag: HtmlTag, { name, value, start, end }: HtmlAttribute): ImagePlace[] {
  const written = (text: string) => `${name}="${escaped(text)}"`;
  if (ATTRIBUTES[tag.name]?.includes(name) && WEB.test(value)) {
    const url = value.trim();
    const write = (addressOf: AddressOf) => written(addressOf(url) ?? value);
    return [{ start, end, urls: [url], write }];
  }
  if (name === "srcset" && /https?:/i.test(value)) {
    return [{ start, end, urls: [], write: () => "" }];
  }
  const urls = name === "style" ? urlsIn(value) : [];
  const write = (addressOf: AddressOf) => written(replaced(value, addressOf));
  return urls.length > 0 ? [{ start, end, urls, write }] : [];
}

function inStyle({ name, text }: HtmlTag, html: string): ImagePlace[] {
  if (name !== "style" || text === undefined) return [];
  const css = html.slice(text.start, text.end);
  const urls = urlsIn(css);
  const write = (addressOf: AddressOf) => replaced(css, addressOf);
  return urls.length > 0 ? [{ ...text, urls, write }] : [];
}

function urlsIn(css: string): string[] {
  return Array.from(css.matchAll(CSS_URL), ([, a, b, c]) => a ?? b ?? c ?? "");
}

function replaced(css: string, addressOf: AddressOf): string {
  return css.replace(CSS_URL, (whole, a?: string, b?: string, c?: string) => {
    const address = addressOf(a ?? b ?? c ?? "");
    return address === undefined ? whole : `url("${address}")`;
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
