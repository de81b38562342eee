import { type HtmlTag, STYLE_SHEETS } from "./html_tags.ts";

/** The address of an image, as an author wrote it. */
export interface ImageAddress {
  address: string;
  /** Its position in the HTML: that of its tag, or of the `url()` in a style sheet. */
  at: number;
  /** It is in a style sheet, where a rule may fit no element. */
  isInSheet: boolean;
}

/** The elements whose `src` is an image. */
export const IMAGES: ReadonlySet<string> = new Set(["img", "mj-image", "mj-carousel-image"]);

/** In any element: of HTML, and of MJML. */
const BACKGROUNDS = new Set(["background", "background-url"]);
const CSS_URL = /url\(\s{0,20}(?:"([^"\n]{1,2000})"|'([^'\n]{1,2000})'|([^\s"'()]{1,2000}))/gi;
const COMMENT_OR_FONT = /\/\*[^*]{0,5000}\*\/|@font-face\s{0,20}\{[^}]{0,5000}\}/gi;

/** Returns the addresses of the images that an element or a style sheet shows, `<img src>` first. */
export function imageAddresses(tag: HtmlTag, html: string): ImageAddress[] {
  const { name, attributes, start: at, text } = tag;
  if (STYLE_SHEETS.has(name) && text !== undefined) {
    return urlsIn(html.slice(text.start, text.end)).map(({ address, index }) => ({
      ...{ address, at: text.start + index, isInSheet: true },
    }));
  }
  const found = attributes.flatMap((attribute) => {
    if (attribute.name === "src" && IMAGES.has(name)) return [attribute.value];
    if (attribute.name === "srcset") return candidatesIn(attribute.value);
    if (BACKGROUNDS.has(attribute.name)) return [attribute.value];
    if (attribute.name === "style") return urlsIn(attribute.value).map(({ address }) => address);
    return [];
  });
  return found.map((address) => ({ address: address.trim(), at, isInSheet: false }))
    .filter(({ address }) => address !== "");
}

/** Returns the addresses of a `srcset`: `a.png 1x, b.png 2x`. An address with a comma has no space after it. */
function candidatesIn(srcset: string): string[] {
  return srcset.split(/,\s/).map((candidate) => candidate.trim().split(/\s/, 1)[0] ?? "");
}

/** Fonts are no images: a mail that cannot load one has another. */
function urlsIn(css: string): { address: string; index: number }[] {
  const shown = css.replace(COMMENT_OR_FONT, (text) => text.replace(/[^\n]/g, " "));
  return [...shown.matchAll(CSS_URL)].map(({ 1: double, 2: single, 3: bare, index }) => ({
    ...{ address: (double ?? single ?? bare ?? "").trim(), index },
  }));
}
