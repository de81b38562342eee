import { AssetFault } from "./asset_fault.ts";
import { type FontTables, sfntTables, woff2Tables } from "./_font_tables.ts";

/** The types of fonts, and other names of these types. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  "font/ttf": ["application/x-font-ttf", "application/x-font-truetype", "font/truetype"],
  "font/otf": ["application/x-font-opentype", "application/vnd.ms-opentype", "font/opentype"],
  "font/woff2": ["application/font-woff2"],
};

/** Programs often name the two by the ending of the file, and both endings are used for both. */
const SFNT = ["font/ttf", "font/otf", "font/sfnt", "application/font-sfnt"];

/** A PDF template embeds at most this much; a font for one script is far smaller. */
const MAX_FONT_BYTES = 2_500_000;

/** What a browser unpacks at most. */
const MAX_UNPACKED_BYTES = 30 * 1024 ** 2;

/** How much a font shrinks at most when it is packed. Usual ones shrink to a half, or a fifth. */
const MAX_UNPACKED_PART = 40;

const NEEDED = ["cmap", "head", "hhea", "hmtx", "maxp"];
const HEAD_MAGIC = 0x5f0f3cf5;

/** Recognises a TrueType, OpenType or WOFF2 font by its first bytes, and returns its type. */
export function fontType(body: Buffer): string | undefined {
  switch (body.toString("latin1", 0, 4)) {
    case "\0\x01\0\0":
      return "font/ttf";
    case "OTTO":
      // A text does not go on with a zero.
      return body[4] === 0 ? "font/otf" : undefined;
    case "wOF2":
      return "font/woff2";
  }
  return undefined;
}

/** Returns whether a type that a sender says stands for the type of a font. */
export function isFontType(declared: string, found: string): boolean {
  const isSfnt = SFNT.includes(found) && [...SFNT, ...othersOf(SFNT)].includes(declared);
  return declared === found || isSfnt || othersOf([found]).includes(declared);
}

function othersOf(types: readonly string[]): string[] {
  return types.flatMap((type) => TYPES[type] ?? []);
}

/**
 * Checks the structure of a font: its tables lie inside of the file and beside each other, unpack to what they
 * say, and those that a browser needs are there. Fonts with drawings in SVG, which is a document, are refused,
 * and those whose licence forbids to embed them. The browser checks the content of the tables again.
 *
 * @throws {AssetFault}
 */
export function checkFont(body: Buffer, type: string): void {
  if (body.length > MAX_FONT_BYTES) {
    const most = MAX_FONT_BYTES / 1_000_000;
    throw new AssetFault(
      `The font exceeds ${most} MB. Leave out the characters that you do not need`,
    );
  }
  const maxBytes = Math.min(MAX_UNPACKED_BYTES, MAX_UNPACKED_PART * body.length);
  const tables = type === "font/woff2" ? woff2Tables(body, maxBytes) : sfntTables(body);
  if (tables === undefined) {
    throw new AssetFault("The font is damaged: its tables do not fit the file");
  }
  const missing = NEEDED.find((tag) => !tables.has(tag));
  if (missing !== undefined) {
    throw new AssetFault(`The font is damaged: it has no table "${missing}"`);
  }
  if (!hasOutlines(tables)) {
    throw new AssetFault("The font has no outlines. Pixel fonts do not work");
  }
  if (tables.has("SVG ")) {
    throw new AssetFault('The font has drawings in SVG. Save it without its table "SVG "');
  }
  checkHeads(tables);
  checkGlyphs(tables);
}

function hasOutlines(tables: FontTables): boolean {
  return tables.has("glyf") && tables.has("loca") || tables.has("CFF ") || tables.has("CFF2");
}

/**
 * Checks that the tables about glyphs have a place for each of them. Those that WOFF2 has in another form are
 * empty here, and are left to the browser.
 *
 * @throws {AssetFault}
 */
function checkGlyphs(tables: FontTables): void {
  const of = (tag: string) => tables.get(tag) ?? Buffer.alloc(0);
  const [head, maxp, hhea] = [of("head"), of("maxp"), of("hhea")];
  const glyphs = maxp.readUInt16BE(4);
  const metrics = hhea.length < 36 ? 0 : hhea.readUInt16BE(34);
  const isTrueType = tables.has("glyf");
  const least: Readonly<Record<string, number>> = {
    hhea: 36,
    maxp: isTrueType ? 32 : 6,
    hmtx: 4 * metrics + 2 * (glyphs - metrics),
    ...(isTrueType ? { loca: (glyphs + 1) * (head.readInt16BE(50) === 0 ? 2 : 4) } : {}),
  };
  const short = Object.entries(least).find(([tag, size]) => {
    const { length } = of(tag);
    return length > 0 && length < size;
  });
  if (short === undefined && metrics > 0 && metrics <= glyphs) return;
  throw new AssetFault(`The font is damaged: its table "${short?.[0] ?? "hhea"}" is too short`);
}

/** @throws {AssetFault} */
function checkHeads(tables: FontTables): void {
  const [head, maxp, os2] = ["head", "maxp", "OS/2"].map((tag) => tables.get(tag));
  const isHead = head !== undefined && head.length >= 54 && head.readUInt32BE(12) === HEAD_MAGIC;
  const unitsPerEm = isHead ? head.readUInt16BE(18) : 0;
  const glyphs = maxp !== undefined && maxp.length >= 6 ? maxp.readUInt16BE(4) : 0;
  if (unitsPerEm < 16 || unitsPerEm > 16_384 || glyphs === 0) {
    throw new AssetFault('The font is damaged: its table "head" or "maxp" is not valid');
  }
  const rights = os2 !== undefined && os2.length >= 10 ? os2.readUInt16BE(8) : 0;
  // OpenType, OS/2, fsType: restricted, and bitmaps only.
  if ((rights & 0xf) === 2 || (rights & 0x200) !== 0) {
    throw new AssetFault(
      "The licence of the font forbids embedding it in documents (fsType)",
    );
  }
}
