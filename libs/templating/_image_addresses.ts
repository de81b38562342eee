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
const COMMENT_OR_FONT = /\/\*|@font-face\s{0,20}\{/gi;
const MAX_HIDDEN_LENGTH = 5000;

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

function urlsIn(css: string): { address: string; index: number }[] {
  return [...withoutFonts(css).matchAll(CSS_URL)].map((
    { 1: double, 2: single, 3: bare, index },
  ) => ({
    ...{ address: (double ?? single ?? bare ?? "").trim(), index },
  }));
}

/**
 * Blanks comments and fonts. Fonts are no images: a mail that cannot load one has another. Each `}` is looked
 * for once: there may be thousands of `@font-face {` before it.
 */
function withoutFonts(css: string): string {
  const parts: string[] = [];
  let end = 0;
  let brace = -1;
  for (const { 0: opening, index } of css.matchAll(COMMENT_OR_FONT)) {
    if (index < end) continue;
    const inside = index + opening.length;
    const isComment = opening === "/*";
    if (!isComment && brace < inside) brace = indexOf(css, "}", inside);
    const close = isComment ? indexOf(css, "*", inside) : brace;
    if (close - inside > MAX_HIDDEN_LENGTH || close === css.length) continue;
    if (isComment && css[close + 1] !== "/") continue;
    const hiddenEnd = close + (isComment ? 2 : 1);
    parts.push(css.slice(end, index), css.slice(index, hiddenEnd).replace(/[^\n]/g, " "));
    end = hiddenEnd;
  }
  return parts.join("") + css.slice(end);
}

/** Like `String.indexOf()`, but the length if it is not there. */
function indexOf(text: string, sought: string, from: number): number {
  const at = text.indexOf(sought, from);
  return at === -1 ? text.length : at;
}
