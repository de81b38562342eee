import { randomFillSync } from "node:crypto";

const BLOCK_BYTES = 4096;

const block = Buffer.alloc(BLOCK_BYTES);
let used = BLOCK_BYTES;

/**
 * Returns random bytes for names and nonces, not for keys. They come from a block that is filled as a whole:
 * asking for a few bytes costs nearly as much as asking for all of it.
 *
 * @param size At most 4096.
 * @throws {RangeError} If it is not such a number.
 */
export function takeRandomBytes(size: number): Buffer {
  if (!(size >= 0 && size <= BLOCK_BYTES)) throw new RangeError(`Cannot take ${size} random bytes`);
  if (used + size > BLOCK_BYTES) {
    randomFillSync(block);
    used = 0;
  }
  const taken = Buffer.from(block.subarray(used, used + size));
  used += size;
  return taken;
}

/** Makes a name, 16 hexadecimal digits, for what only must not be confused: a process, or an attempt that it makes. */
export function randomName(): string {
  return takeRandomBytes(8).toString("hex");
}
