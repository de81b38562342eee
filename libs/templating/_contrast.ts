import { declarationsOf, isHiddenElement } from "./_hidden_style.ts";
import type { HtmlTag } from "./html_tags.ts";

type Colour = readonly [number, number, number];

/** The CSS colour names that are common in mail. */
const NAMED: Readonly<Record<string, Colour>> = {
  black: [0, 0, 0],
  white: [255, 255, 255],
  red: [255, 0, 0],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  silver: [192, 192, 192],
  yellow: [255, 255, 0],
  green: [0, 128, 0],
  blue: [0, 0, 255],
  navy: [0, 0, 128],
};
/** WCAG 2.2 calls text large from 18 pt on; it then needs only a contrast of 3. */
const LARGE_PX = 24;

/**
 * Returns the contrast of a tag's text by WCAG 2.2, if the tag sets both colours. Returns nothing if it sets
 * only one, is hidden, is large, or uses a placeholder as a colour.
 */
export function contrastOf({ name, attributes }: HtmlTag): number | undefined {
  const values = Object.fromEntries(attributes.map((each) => [each.name, each.value]));
  if (isHiddenElement(values)) return undefined;
  const style = declarationsOf(values["style"] ?? "");
  const isMjml = name.startsWith("mj-");
  const of = (key: string) => style.get(key) ?? (isMjml ? values[key] : undefined);
  if ((Number.parseFloat(of("font-size") ?? "") || 0) >= LARGE_PX) return undefined;
  const front = colourOf(of("color"));
  const back = colourOf(of("background-color") ?? style.get("background") ?? values["bgcolor"]);
  if (front === undefined || back === undefined) return undefined;
  const [light = 0, dark = 0] = [luminance(front), luminance(back)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function colourOf(text = ""): Colour | undefined {
  const word = text.trim().toLowerCase();
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(word)?.slice(1).map((each) => each + each);
  const digits = short ?? /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/.exec(word)?.slice(1);
  const numbers = digits?.map((each) => parseInt(each, 16)) ??
    /^rgb\(\s?(\d{1,3})\s?,\s?(\d{1,3})\s?,\s?(\d{1,3})\s?\)$/.exec(word)?.slice(1).map(Number);
  const [red, green, blue] = numbers ?? [];
  if (red === undefined || green === undefined || blue === undefined) return NAMED[word];
  return [red, green, blue];
}

/** Returns the relative luminance: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
