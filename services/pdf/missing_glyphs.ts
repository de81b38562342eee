import { promisify } from "node:util";
import { inflate } from "node:zlib";

const inflated = promisify(inflate);

/** One page draws far less; more would be a bomb. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;

const STREAM = /\/Length (\d+)>> stream\n/g;

/** A choice of a font, or one or more glyphs of it, as Chromium writes them. */
const TEXT = /\/F(\d+) [-.\d]+ Tf|<([\dA-Fa-f]+)>/g;

/**
 * Returns whether a PDF of Chromium shows a character for which no font has a glyph. PDF/A forbids that
 * (ISO 19005-3, 6.2.11.8). In a font of two bytes per glyph, such a character is glyph 0.
 */
export async function hasMissingGlyphs(pdf: Buffer): Promise<boolean> {
  const source = pdf.toString("latin1");
  const fonts = new Set(
    Array.from(
      source.matchAll(/\n(\d+) 0 obj\n<<\/Type \/Font\n\/Subtype \/Type0\n/g),
      ([, id]) => id ?? "",
    ),
  );
  STREAM.lastIndex = 0;
  for (let found = STREAM.exec(source); found !== null; found = STREAM.exec(source)) {
    const start = STREAM.lastIndex;
    const end = start + Number(found[1]);
    const fields = source.slice(source.lastIndexOf(" 0 obj\n", found.index), start);
    STREAM.lastIndex = end;
    if (!isContent(fields)) continue;
    const content = pdf.subarray(start, end);
    const drawn = fields.includes("/FlateDecode")
      ? await inflated(content, { maxOutputLength: MAX_CONTENT_BYTES })
      : content;
    // Most pages need no second look.
    if (drawn.includes("0000") && showsMissing(drawn.toString("latin1"), fonts)) return true;
  }
  return false;
}

/** Returns whether a stream draws a page or a part of one: it is no image, font or colour profile. */
function isContent(fields: string): boolean {
  return !/\/Subtype \/Image|\/Length1 |\n\/N \d|<<\/N \d|\/FunctionType/.test(fields);
}

function showsMissing(content: string, fonts: ReadonlySet<string>): boolean {
  let isWide = false;
  for (const [, font, glyphs] of content.matchAll(TEXT)) {
    if (font !== undefined) isWide = fonts.has(font);
    else if (isWide && /^(?:[\dA-Fa-f]{4})*0000/.test(glyphs ?? "")) return true;
  }
  return false;
}
