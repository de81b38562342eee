import type { Transform, TransformCallback } from "node:stream";

/**
 * Whether no line starts with a dot. nodemailer looks at every byte for that, which for a mail with
 * a PDF costs more than all the rest; a search for two bytes is native.
 */
export function needsNoStuffing(raw: Buffer): boolean {
  return raw[0] !== 0x2e && !raw.includes("\n.") && !raw.includes("\r.");
}

/** Stands in for the byte loop of nodemailer's DataStream, whose other fields it keeps up. */
export function passThrough(
  this: Transform & { inByteCount?: number; outByteCount?: number; lastByte?: number | false },
  chunk: Buffer,
  _encoding: BufferEncoding,
  done: TransformCallback,
): void {
  this.inByteCount = (this.inByteCount ?? 0) + chunk.length;
  this.outByteCount = (this.outByteCount ?? 0) + chunk.length;
  this.lastByte = chunk.at(-1) ?? false;
  done(null, chunk);
}
