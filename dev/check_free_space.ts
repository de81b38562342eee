import { mkdir, statfs } from "node:fs/promises";

/** Space for mongod's journal, the streams and some mail, in bytes. */
const NEEDED = 500_000_000;

/**
 * Checks that the disk has space for the data.
 *
 * @throws {Error} It has less than 500 MB.
 */
export async function checkFreeSpace(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= NEEDED) return;
  throw new Error(
    `Cannot start: the disk that holds "${dataDir}" has ${megabytes(bavail * bsize)} left and ${
      megabytes(NEEDED)
    } are needed; free some space, or choose another folder with DATA_DIR`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
