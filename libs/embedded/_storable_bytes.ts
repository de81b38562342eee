import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

const SHARE = 0.7;

/**
 * How much a server may store in a folder so that its disk never runs full: 70 % of what the volume
 * has free for this user, where what already lies in the folder counts as free. A full disk has
 * JetStream switch itself off; a store that is full only refuses what is new.
 */
export async function storableBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return Math.floor((bavail * bsize + await bytesIn(dir)) * SHARE);
}

async function bytesIn(dir: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // The log or a file of a stream may go at any moment.
    bytes += await stat(join(entry.parentPath, entry.name)).then(({ size }) => size, () => 0);
  }
  return bytes;
}
