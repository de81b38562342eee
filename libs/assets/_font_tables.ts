import { brotliDecompressSync } from "node:zlib";

/** The tables of a font by their tags. Those that are packed in another form than their own are empty. */
export type FontTables = ReadonlyMap<string, Buffer>;

const MAX_TABLES = 64;
const TAG = /^[\x20-\x7e]{4}$/;

interface Entry {
  tag: string;
  offset: number;
  length: number;
  /** Whether WOFF2 has it in another form than its own. */
  isChanged?: boolean;
}

/** Returns the tables of a TrueType or OpenType font; undefined if they overlap or lie outside of the file. */
export function sfntTables(body: Buffer): FontTables | undefined {
  const count = body.length < 12 ? 0 : body.readUInt16BE(4);
  const start = 12 + 16 * count;
  if (count === 0 || count > MAX_TABLES || start > body.length) return undefined;
  const entries = Array.from({ length: count }, (_, index): Entry => {
    const at = 12 + 16 * index;
    const [offset, length] = [body.readUInt32BE(at + 8), body.readUInt32BE(at + 12)];
    return { tag: body.toString("latin1", at, at + 4), offset, length };
  });
  let end = start;
  for (const { offset, length } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (length === 0) continue;
    if (offset < end || offset + length > body.length) return undefined;
    end = offset + length;
  }
  return tablesOf(entries, body);
}

/** Tags that WOFF2 writes as numbers (W3C WOFF 2.0, 4.1). */
const KNOWN_TAGS =
  ("cmap,head,hhea,hmtx,maxp,name,OS/2,post,cvt ,fpgm,glyf,loca,prep,CFF ,VORG,EBDT,EBLC,gasp,hdmx," +
    "kern,LTSH,PCLT,VDMX,vhea,vmtx,BASE,GDEF,GPOS,GSUB,EBSC,JSTF,MATH,CBDT,CBLC,COLR,CPAL,SVG ,sbix,acnt,avar,bdat," +
    "bloc,bsln,cvar,fdsc,feat,fmtx,fvar,gvar,hsty,just,lcar,mort,morx,opbd,prop,trak,Zapf,Silf,Glat,Gloc,Feat,Sill")
    .split(",");

/**
 * Returns the tables of a WOFF2 font; undefined if they are not as its header says, or have more than `maxBytes`
 * when they are unpacked.
 */
export function woff2Tables(body: Buffer, maxBytes: number): FontTables | undefined {
  if (body.length < 48) return undefined;
  const count = body.readUInt16BE(12);
  const isCollection = body.toString("latin1", 4, 8) === "ttcf";
  const isWhole = body.readUInt32BE(8) === body.length;
  if (isCollection || !isWhole || count === 0 || count > MAX_TABLES) return undefined;
  const directory = woff2Directory(body, count);
  if (directory === undefined) return undefined;
  const { entries, end, unpackedBytes } = directory;
  const packedEnd = end + body.readUInt32BE(20);
  const bytes = entries.reduce((sum, { length }) => sum + length, 0);
  if (packedEnd > body.length || Math.max(bytes, unpackedBytes) > maxBytes) return undefined;
  try {
    const unpacked = brotliDecompressSync(body.subarray(end, packedEnd), {
      maxOutputLength: Math.max(bytes, 1),
    });
    return unpacked.length === bytes ? tablesOf(entries, unpacked) : undefined;
  } catch {
    return undefined;
  }
}

interface Directory {
  /** Places in the unpacked bytes. */
  entries: Entry[];
  /** Where the packed bytes begin. */
  end: number;
  /** Of the tables in their own form. */
  unpackedBytes: number;
}

function woff2Directory(body: Buffer, count: number): Directory | undefined {
  const entries: Entry[] = [];
  let [at, offset, unpackedBytes] = [48, 0, 0];
  const number = (): number => {
    let value = 0;
    for (let digits = 0; digits < 5; digits++) {
      const byte = body[at++] ?? 0;
      value = value * 128 + (byte & 0x7f);
      if (byte < 128) return value;
    }
    return Number.POSITIVE_INFINITY;
  };
  for (let index = 0; index < count; index++) {
    const flags = body[at++] ?? 0;
    const isKnown = (flags & 0x3f) !== 0x3f;
    const tag = isKnown ? KNOWN_TAGS[flags & 0x3f] ?? "" : body.toString("latin1", at, at += 4);
    const own = number();
    const isOutline = tag === "glyf" || tag === "loca";
    // For outlines, 3 stands for their own form; for all others 0 does.
    const isChanged = flags >> 6 !== (isOutline ? 3 : 0);
    const length = isChanged ? number() : own;
    entries.push({ tag, offset, length, isChanged });
    offset += length;
    unpackedBytes += own;
    if (at > body.length) return undefined;
  }
  return { entries, end: at, unpackedBytes };
}

function tablesOf(entries: readonly Entry[], bytes: Buffer): FontTables | undefined {
  const tables = new Map(
    entries.map(({ tag, offset, length, isChanged = false }) => [
      tag,
      bytes.subarray(offset, isChanged ? offset : offset + length),
    ]),
  );
  const areTags = entries.every(({ tag }) => TAG.test(tag));
  return areTags && tables.size === entries.length ? tables : undefined;
}
