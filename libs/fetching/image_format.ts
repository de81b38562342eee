/** The format of an image, from its first bytes. */
export interface ImageFormat {
  /** Its media type. */
  type: string;
  /** In pixels; 0 if the format has no size of its own. */
  width: number;
  height: number;
}

const BLANKS = /\s*/y;
const ROOT = /<svg[\s>/]/y;

/** Recognizes a PNG, JPEG, GIF, WebP or SVG image by its bytes, whatever type its server sends. */
export function imageFormat(bytes: Buffer): ImageFormat | undefined {
  if (startsWith(bytes, "89504e470d0a1a0a") && bytes.length >= 24) {
    return { type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (/^GIF8[79]a/.test(bytes.toString("latin1", 0, 6)) && bytes.length >= 10) {
    return { type: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (startsWith(bytes, "ffd8ff")) return jpeg(bytes);
  if (bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP") {
    return webp(bytes);
  }
  const text = bytes.toString("utf8", 0, 10_000);
  if (beginsAsSvg(text) && !bytes.includes("<!ENTITY") && !bytes.includes("<!DOCTYPE")) {
    return { type: "image/svg+xml", width: 0, height: 0 };
  }
  return undefined;
}

function startsWith(bytes: Buffer, hex: string): boolean {
  return bytes.toString("hex", 0, hex.length / 2) === hex;
}

/**
 * Returns whether a text begins with the root of an SVG document, perhaps after declarations and comments. One pattern
 * for all of them would try every way to divide a comment. A document type is excluded: it could declare entities that
 * multiply.
 */
function beginsAsSvg(text: string): boolean {
  let at = 0;
  while (at >= 0) {
    BLANKS.lastIndex = at;
    at += BLANKS.exec(text)?.[0].length ?? 0;
    if (text.startsWith("<!--", at)) at = after(text, "-->", at + 4);
    else if (text.startsWith("<?xml", at)) at = after(text, "?>", at + 5);
    else break;
  }
  ROOT.lastIndex = at;
  return at >= 0 && ROOT.test(text);
}

/** Returns the position after the next `mark`; -1 if there is none. */
function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? -1 : found + mark.length;
}

/** Walks from marker to marker until one contains the size (ITU T.81, B.2.2). */
function jpeg(bytes: Buffer): ImageFormat | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { type: "image/jpeg", width, height };
    }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webp(bytes: Buffer): ImageFormat | undefined {
  if (bytes.length < 30) return undefined;
  const type = "image/webp";
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { type, width: (bits & 0x3fff) + 1, height: (bits >>> 14 & 0x3fff) + 1 };
    }
    case "VP8 ":
      return {
        type,
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    default:
      return undefined;
  }
}
