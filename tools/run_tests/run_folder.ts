import { statfsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Where Linux keeps files in memory. */
const IN_MEMORY = "/dev/shm";
/** `TMPFS_MAGIC` of `statfs(2)`. */
const TMPFS = 0x01021994;
const MIN_FREE_BYTES = 4 * 1024 ** 3;
const PREFIX = "posthaste-tests-";

/** A folder for the files of a run. Disposing removes it. */
export interface RunFolder extends AsyncDisposable {
  path: string;
}

/**
 * Creates the folder: in memory if there is space, because databases and brokers of tests wait for the disk
 * half of their time. Services on Deno may write nothing below `/dev`, and get one on disk. Folders of runs
 * that were killed are removed.
 */
export async function openRunFolder(env: NodeJS.ProcessEnv): Promise<RunFolder> {
  const isOnDeno = env["POSTHASTE_RUNTIME"] === "deno";
  const base = !isOnDeno && hasSpace(IN_MEMORY) ? IN_MEMORY : tmpdir();
  for (const name of await readdir(base)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : undefined;
    if (pid !== undefined && !isRunning(pid)) await remove(join(base, name));
  }
  const path = join(base, `${PREFIX}${process.pid}`);
  // Some tests start programs as another user.
  await mkdir(path, { mode: 0o755 });
  return { path, [Symbol.asyncDispose]: () => remove(path) };
}

function hasSpace(folder: string): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    return type === TMPFS && bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Processes that were interrupted may still write there. */
function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 });
}
