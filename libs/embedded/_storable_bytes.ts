import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

const SHARE = 0.7;

/**
 * Returns how much a server may store in a folder without filling its disk: 70 % of the volume's free space
 * for this user, where the folder's present content counts as free. On a full disk JetStream disables itself;
 * a full store only refuses new data.
 */
export async function storableBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return Math.floor((bavail * bsize + await bytesIn(dir)) * SHARE);
}

async function bytesIn(dir: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // The log or a file of a stream may disappear at any moment.
    bytes += await stat(join(entry.parentPath, entry.name)).then(({ size }) => size, () => 0);
  }
  return bytes;
}
