import { brotliCompressSync, constants } from "node:zlib";

/** How a font of {@linkcode testFont} differs. */
export interface TestFontOptions {
  /** The characters that it draws, all as the same square. @default "A" */
  chars?: string;
  /** @default "Brand" */
  name?: string;
  /** Rights to embed it, of OS/2. @default {0} */
  fsType?: number;
  /** More tables, or others in their place; null leaves one out. */
  tables?: Readonly<Record<string, Buffer | null>>;
}

/** Makes a TrueType font of some characters. Browsers and poppler read it. */
export function testFont(options: TestFontOptions = {}): Buffer {
  return sfntOf(tablesOf(options), 0x00010000);
}

/** Puts tables into a file, as TrueType and OpenType fonts have them. */
export function sfntOf(tables: Readonly<Record<string, Buffer>>, version: number): Buffer {
  const entries = Object.entries(tables).sort(([a], [b]) => a < b ? -1 : 1);
  const power = Math.floor(Math.log2(Math.max(1, entries.length)));
  const range = 16 * 2 ** power;
  const search = [entries.length, range, power, 16 * entries.length - range & 0xffff];
  const head = [u32(version), ...search.map(u16)];
  const bodies: Buffer[] = [];
  let offset = 12 + 16 * entries.length;
  for (const [tag, bytes] of entries) {
    head.push(Buffer.from(tag), u32(0), u32(offset), u32(bytes.length));
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
    bodies.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([...head, ...bodies]);
}

/** Packs bytes as WOFF2 does. The usual quality would take fifteen times as long, for the same zeros. */
export function packWoff2(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

/** Packs a font of {@linkcode testFont} as WOFF2, its tables in their own form. */
export function testWoff2(options: TestFontOptions = {}): Buffer {
  const tables = Object.entries(tablesOf(options));
  const packed = packWoff2(Buffer.concat(tables.map(([, bytes]) => bytes)));
  const directory = tables.flatMap(([tag, bytes]) => {
    const form = tag === "glyf" || tag === "loca" ? 3 : 0;
    return [Buffer.from([form << 6 | 0x3f]), Buffer.from(tag), base128(bytes.length)];
  });
  const entries = Buffer.concat(directory);
  const padding = Buffer.alloc(-(48 + entries.length + packed.length) & 3);
  const size = tables.reduce((sum, [, { length }]) => sum + (length + 3 & ~3), 0);
  return Buffer.concat([
    ...[
      Buffer.from("wOF2"),
      u32(0x00010000),
      u32(48 + entries.length + packed.length + padding.length),
    ],
    ...[u16(tables.length), u16(0), u32(12 + 16 * tables.length + size), u32(packed.length)],
    ...[u16(1), u16(0), Buffer.alloc(20), entries, packed, padding],
  ]);
}

function tablesOf(
  { chars = "A", name = "Brand", fsType = 0, tables = {} }: TestFontOptions,
): Record<string, Buffer> {
  const points = [...new Set(chars)].map((char) => char.codePointAt(0) ?? 0).sort((a, b) => a - b);
  const groups = points.map((point) => Buffer.concat([u32(point), u32(point), u32(1)]));
  const square = Buffer.concat([
    ...[i16(1), i16(100), i16(0), i16(900), i16(700), u16(3), u16(0), Buffer.from([1, 1, 1, 1])],
    ...[100, 0, 800, 0, 0, 700, 0, -700].map(i16),
  ]);
  const names = [[1, name], [2, "Regular"], [4, name], [6, name]] as const;
  const texts = names.map(([, text]) => Buffer.from(text, "utf16le").swap16());
  let at = 0;
  const records = names.map(([id], index) => {
    const { length = 0 } = texts[index] ?? {};
    return Buffer.concat([3, 1, 0x409, id, length, (at += length) - length].map(u16));
  });
  const all: Record<string, Buffer | null> = {
    "OS/2": Buffer.concat([
      ...[4, 600, 400, 5, fsType].map(u16),
      Buffer.alloc(48),
      ...[Buffer.from("TEST"), u16(0x40), u16(Math.min(points[0] ?? 0, 0xffff)), u16(0xffff)],
      ...[800, -200, 0, 800, 200].map(i16),
      ...[Buffer.alloc(8), ...[500, 700, 0, 32, 0].map(i16)],
    ]),
    cmap: Buffer.concat([
      ...[u16(0), u16(1), u16(3), u16(10), u32(12), u16(12), u16(0), u32(16 + 12 * groups.length)],
      ...[u32(0), u32(groups.length), ...groups],
    ]),
    glyf: Buffer.concat([square, square]),
    head: Buffer.concat([
      ...[u32(0x00010000), u32(0x00010000), u32(0), u32(0x5f0f3cf5), u16(0), u16(1000)],
      ...[Buffer.alloc(16), ...[100, 0, 900, 700, 0, 8, 2, 1, 0].map(i16)],
    ]),
    hhea: Buffer.concat([
      ...[u32(0x00010000), ...[800, -200, 0, 1000, 100, 100, 900, 1, 0, 0].map(i16)],
      ...[Buffer.alloc(8), i16(0), u16(2)],
    ]),
    hmtx: Buffer.concat([1000, 100, 1000, 100].map(u16)),
    loca: Buffer.concat([0, square.length, 2 * square.length].map(u32)),
    maxp: Buffer.concat([
      u32(0x00010000),
      ...[2, 4, 1, 0, 0, 2, ...Array<number>(8).fill(0)].map(u16),
    ]),
    name: Buffer.concat([
      ...[u16(0), u16(names.length), u16(6 + 12 * names.length), ...records, ...texts],
    ]),
    post: Buffer.concat([u32(0x00030000), u32(0), i16(-100), i16(50), Buffer.alloc(20)]),
    ...tables,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([tag, bytes]) => bytes === null ? [] : [[tag, bytes]]),
  );
}

function u16(value: number): Buffer {
  return Buffer.from([value >> 8 & 0xff, value & 0xff]);
}

const i16 = (value: number) => u16(value & 0xffff);

function u32(value: number): Buffer {
  return Buffer.concat([u16(value >>> 16), u16(value & 0xffff)]);
}

function base128(value: number): Buffer {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift(rest & 0x7f | 0x80);
  return Buffer.from(digits);
}
