import { promisify } from "node:util";
import { inflate } from "node:zlib";

const inflated = promisify(inflate);

/** One page draws far less; more would be a bomb. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;

const STREAM = /\/Length (\d+)>> stream\n/g;

/** A text for programs, its end, a choice of a font, or one or more glyphs of it, as Chromium writes them. */
const TEXT = new RegExp(
  [
    /\/ActualText (?:<FEFF([\dA-F]*)>|\(((?:\\.|[^\\)])*)\))/,
    /\bEMC\b/,
    /\/F(\d+) [-.\d]+ Tf/,
    /<([\dA-F]+)>/,
  ].map(({ source }) => source).join("|"),
  "gi",
);

/** A line of a mapping from glyphs to Unicode: of one glyph, or of a range. */
const MAPPED = /^<([\dA-F]+)> (?:<([\dA-F]+)> )?<([\dA-F]+)>$/gim;

/** What a PDF shows without a glyph. */
export interface MissingGlyphs {
  /** The characters that the PDF names. */
  named: ReadonlySet<string>;
  /** Whether there are others. Chromium does not name the first one of each font. */
  hasUnnamed: boolean;
  /** The characters that have a glyph. */
  drawn: ReadonlySet<string>;
}

/**
 * Returns the characters of a PDF of Chromium for which no font has a glyph, or `undefined` if there are none.
 * Such a character is glyph 0 of its font: an empty box.
 */
export async function findMissingGlyphs(pdf: Buffer): Promise<MissingGlyphs | undefined> {
  const source = pdf.toString("latin1");
  const wide = new Set(idsOf(source, /\n(\d+) 0 obj\n<<\/Type \/Font\n\/Subtype \/Type0\n/g));
  const narrowBox = narrowBoxOf(
    idsOf(source, /\n(\d+) 0 obj\n<<\/Type \/Font\n\/Subtype \/(?!Type0\n|CIDFont)/g),
  );
  const named = new Set<string>();
  let hasUnnamed = false;
  for await (const bytes of contents(pdf, source)) {
    // Most pages need no second look.
    if (narrowBox === undefined && !bytes.includes("0000")) continue;
    const content = bytes.toString("latin1");
    if (!content.includes("0000") && !narrowBox?.test(content)) continue;
    for (const { text, isMissing } of clustersOf(content, wide)) {
      if (!isMissing) continue;
      if (text === undefined) hasUnnamed = true;
      for (const char of text ?? "") named.add(char);
    }
  }
  if (named.size === 0 && !hasUnnamed) return undefined;
  return { named, hasUnnamed, drawn: await drawnIn(pdf, { source, wide }) };
}

/** Returns what finds a page where a font of one byte per glyph may show glyph 0. */
function narrowBoxOf(fonts: readonly string[]): RegExp | undefined {
  if (fonts.length === 0) return undefined;
  return new RegExp(
    `/F(?:${fonts.join("|")}) [-.\\d]+ Tf(?:(?!/F\\d)[^<])*` +
      "(?:<(?!(?:[\\dA-F]{2})*?00)(?:(?!/F\\d)[^<])*)*<(?:[\\dA-F]{2})*?00",
    "i",
  );
}

/** A PDF as text, and its fonts of two bytes per glyph. */
interface Source {
  source: string;
  wide: ReadonlySet<string>;
}

/** Yields the streams that draw a page or a part of one, and mappings to Unicode. */
async function* contents(pdf: Buffer, source: string): AsyncGenerator<Buffer> {
  const stream = new RegExp(STREAM);
  for (let found = stream.exec(source); found !== null; found = stream.exec(source)) {
    const start = stream.lastIndex;
    const end = start + Number(found[1]);
    const fields = source.slice(source.lastIndexOf(" 0 obj\n", found.index), start);
    stream.lastIndex = end;
    if (!isContent(fields)) continue;
    const content = pdf.subarray(start, end);
    yield fields.includes("/FlateDecode")
      ? await inflated(content, { maxOutputLength: MAX_CONTENT_BYTES })
      : content;
  }
}

/** Returns whether a stream is no image, font or colour profile. */
function isContent(fields: string): boolean {
  return !/\/Subtype \/Image|\/Length1 |\n\/N \d|<<\/N \d|\/FunctionType/.test(fields);
}

/** Characters of a content, as far as Chromium names them. */
interface Cluster {
  /** Missing where the font maps the glyph to its character. */
  text?: string;
  /** Whether a glyph of it is missing. */
  isMissing: boolean;
}

/** Yields the characters that have names, and the glyphs 0 that have none. */
function* clustersOf(content: string, wide: ReadonlySet<string>): Generator<Cluster> {
  /** Mappings to Unicode choose no font. */
  let isWide: boolean | undefined;
  let cluster: Cluster = { isMissing: false };
  for (const [token, utf16, literal, font, glyphs] of content.matchAll(TEXT)) {
    if (utf16 !== undefined) cluster = { text: decoded(utf16), isMissing: false };
    else if (literal !== undefined) cluster = { text: unescaped(literal), isMissing: false };
    else if (font !== undefined) isWide = wide.has(font);
    else if (token === "EMC") {
      if (cluster.text !== undefined) yield cluster;
      cluster = { isMissing: false };
    } else if (isWide !== undefined && hasZero(glyphs ?? "", isWide)) {
      if (cluster.text === undefined) yield { isMissing: true };
      else cluster.isMissing = true;
    }
  }
}

/** Returns whether glyph 0 is among glyphs of two bytes, or of one. */
function hasZero(glyphs: string, isWide: boolean): boolean {
  return isWide ? /^(?:[\dA-F]{4})*?0000/i.test(glyphs) : /^(?:[\dA-F]{2})*?00/i.test(glyphs);
}

/** Returns the characters that have a glyph: those that fonts map, and those that have names. */
async function drawnIn(pdf: Buffer, { source, wide }: Source): Promise<Set<string>> {
  const drawn = new Set<string>();
  const add = (text: string) => {
    for (const char of text) drawn.add(char);
  };
  for await (const bytes of contents(pdf, source)) {
    const content = bytes.toString("latin1");
    if (content.includes("begincmap")) mappedChars(content).forEach(add);
    else {for (const { text, isMissing } of clustersOf(content, wide)) {
        if (!isMissing) add(text ?? "");
      }}
  }
  return drawn;
}

/** Returns the characters to which a font maps its glyphs. */
function mappedChars(mapping: string): string[] {
  return Array.from(mapping.matchAll(MAPPED)).flatMap(([, from = "", to = from, text = ""]) => {
    const first = decoded(text);
    const count = Math.min(Number.parseInt(to, 16) - Number.parseInt(from, 16), 0xff);
    const point = first.codePointAt(0) ?? 0;
    const others = Array.from({ length: Math.max(count, 0) }, (_, i) => point + i + 1);
    return [first, ...others.map((other) => String.fromCodePoint(other))];
  });
}

function idsOf(source: string, pattern: RegExp): string[] {
  return Array.from(source.matchAll(pattern), ([, id]) => id ?? "");
}

function unescaped(literal: string): string {
  return literal.replace(/\\(.)/g, "$1");
}

function decoded(utf16: string): string {
  const bytes = Buffer.from(utf16, "hex");
  return bytes.subarray(0, bytes.length & ~1).swap16().toString("utf16le");
}
