/** Tags of the profile: the colorants are those of sRGB, adapted to the white point D50. */
const COLORANTS = {
  rXYZ: [0.43607, 0.22249, 0.01392],
  gXYZ: [0.38515, 0.71687, 0.09708],
  bXYZ: [0.14307, 0.06061, 0.7141],
};

const D50 = [0.9642, 1, 0.8249];

/** Bradford adaptation from D65 to D50, row by row. */
const ADAPTATION = [
  ...[1.04788, 0.02292, -0.05022],
  ...[0.02959, 0.99048, -0.01707],
  ...[-0.00925, 0.01508, 0.75168],
];

/** Exponent and factors of the transfer curve (IEC 61966-2-1). */
const CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];

const HEADER_BYTES = 128;

/**
 * Returns an ICC profile of sRGB (ICC.1:2010, version 4.3: a display of three components, matrix and curve).
 * It has 520 bytes. It is made from the figures of the standard, so it has no author but this project.
 */
export function srgbProfile(): Buffer {
  const curve = typed("para", Buffer.concat([Buffer.from([0, 3, 0, 0]), fixed(CURVE)]));
  const tags: [string, Buffer][] = [
    ["desc", text("sRGB")],
    ["cprt", text("No copyright, use freely")],
    ["wtpt", typed("XYZ ", fixed(D50))],
    ["chad", typed("sf32", fixed(ADAPTATION))],
    ...Object.entries(COLORANTS).map(([name, value]): [string, Buffer] => [
      name,
      typed("XYZ ", fixed(value)),
    ]),
    // One curve for all three.
    ...["rTRC", "gTRC", "bTRC"].map((name): [string, Buffer] => [name, curve]),
  ];
  return profileOf(tags);
}

function profileOf(tags: readonly [string, Buffer][]): Buffer {
  const table = Buffer.alloc(4 + 12 * tags.length);
  table.writeUInt32BE(tags.length);
  const places = new Map<Buffer, number>();
  const parts: Buffer[] = [];
  let end = HEADER_BYTES + table.length;
  for (const [position, [name, data]] of tags.entries()) {
    if (!places.has(data)) {
      places.set(data, end);
      parts.push(data);
      end += data.length;
    }
    const entry = 4 + 12 * position;
    table.write(name, entry, "latin1");
    table.writeUInt32BE(places.get(data) ?? 0, entry + 4);
    table.writeUInt32BE(data.length, entry + 8);
  }
  return Buffer.concat([header(end), table, ...parts]);
}

function header(size: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32BE(size);
  bytes.writeUInt32BE(0x04300000, 8);
  bytes.write("mntrRGB XYZ ", 12, "latin1");
  for (const [position, value] of [2026, 1, 1].entries()) {
    bytes.writeUInt16BE(value, 24 + 2 * position);
  }
  bytes.write("acsp", 36, "latin1");
  fixed(D50).copy(bytes, 68);
  return bytes;
}

/** Returns a tag: its signature, four zero bytes, its data, and zeros up to a multiple of four bytes. */
function typed(signature: string, data: Buffer): Buffer {
  const padding = Buffer.alloc((4 - data.length % 4) % 4);
  return Buffer.concat([Buffer.from(`${signature}\0\0\0\0`, "latin1"), data, padding]);
}

/** Returns text in one language as `mluc`. */
function text(value: string): Buffer {
  const head = Buffer.alloc(20);
  head.writeUInt32BE(1);
  head.writeUInt32BE(12, 4);
  head.write("enUS", 8, "latin1");
  head.writeUInt32BE(2 * value.length, 12);
  head.writeUInt32BE(28, 16);
  return typed("mluc", Buffer.concat([head, Buffer.from(value, "utf16le").swap16()]));
}

/** Returns numbers as s15Fixed16Number. */
function fixed(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [position, value] of values.entries()) {
    bytes.writeInt32BE(Math.round(value * 65_536), 4 * position);
  }
  return bytes;
}
