import type { MissingGlyphs } from "./missing_glyphs.ts";

const MAX_LISTED = 10;
const MAX_AROUND = 12;

/** Elements whose content is not printed, comments, and tags. */
const NOT_TEXT =
  /<!--[\s\S]*?(?:-->|$)|<(style|script|title|template)\b[\s\S]*?(?:<\/\1\s*>|$)|<[a-z/!?][^>]*(?:>|$)/gi;

const NO_GLYPH_NEEDED = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}]/u;

/**
 * Returns the characters without a glyph, at most 10, each with the text around it if it is found there:
 * `U+E123 in "Dear …"`. A character that the PDF does not name is looked for in the text: one that is nowhere
 * drawn. If none is found, the list says so.
 */
export function missingCharacters(
  { named, hasUnnamed, drawn }: MissingGlyphs,
  sources: readonly string[],
): string[] {
  const texts = sources.map(plainText);
  // A cluster has a name as a whole, although only one of its characters may lack a glyph.
  const lacking = [...named].filter((char) => !isDrawn(char, drawn));
  const missing = new Set(lacking.length > 0 ? lacking : named);
  if (hasUnnamed) {
    for (const char of new Set(texts.join(""))) if (!isDrawn(char, drawn)) missing.add(char);
  }
  if (missing.size === 0) return ["a character that is not in the text of the HTML"];
  const listed = [...missing].slice(0, MAX_LISTED).map((char) => described(char, texts));
  const more = missing.size - listed.length;
  return more > 0 ? [...listed, `${more} more`] : listed;
}

/** Style sheets may change the case of a character. */
function isDrawn(char: string, drawn: ReadonlySet<string>): boolean {
  if (NO_GLYPH_NEEDED.test(char) || drawn.has(char)) return true;
  return [char.toUpperCase(), char.toLowerCase()].some((other) =>
    other !== char && Array.from(other).every((one) => drawn.has(one))
  );
}

function described(char: string, texts: readonly string[]): string {
  const number = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const text = texts.find((one) => one.includes(char));
  if (text === undefined) return `U+${number}`;
  const at = text.indexOf(char);
  const before = Array.from(text.slice(Math.max(0, at - 2 * MAX_AROUND), at)).slice(-MAX_AROUND);
  const after = Array.from(text.slice(at, at + 2 * MAX_AROUND + 2)).slice(0, MAX_AROUND + 1);
  return `U+${number} in "${[...before, ...after].join("").trim()}"`;
}

/** Returns the text of HTML, with its numbered characters. */
function plainText(html: string): string {
  return html.replace(NOT_TEXT, " ")
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));?/gi, (all, hex?: string, decimal?: string) => {
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point > 0x10ffff ? all : String.fromCodePoint(point);
    })
    .replace(/&[a-z]\w*;/gi, " ")
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ");
}
