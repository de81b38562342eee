import { crc32, deflateSync } from "node:zlib";

/** Returns a PNG image of one colour, with a width and height in pixels. */
export function pngOf(width: number, height: number): Buffer {
  const part = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const pixels = Buffer.alloc(height * (1 + 3 * width), 0x60);
  for (let row = 0; row < height; row++) pixels[row * (1 + 3 * width)] = 0;
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    part("IHDR", head),
    part("IDAT", deflateSync(pixels)),
    part("IEND", Buffer.alloc(0)),
  ]);
}
