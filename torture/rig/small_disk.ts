import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";

/** This machine does not let the harness do what a fault needs. */
export class NotPossibleError extends Error {
  override readonly name = "NotPossibleError";
}

/** A disk of a few megabytes, in memory, that only one program sees. Disposing takes it away. */
export interface SmallDisk extends AsyncDisposable {
  /** Takes all that is free; again, for what has come free since. */
  fill(): Promise<void>;
  /** Gives back what was taken. */
  free(): Promise<void>;
}

/** Where a disk is mounted, and for whom. */
export interface SmallDiskOptions {
  /** Mount point; what lies there already, the program does not see. */
  dir: string;
  megabytes: number;
  /** Absolute path. */
  program: string;
  /** Folder for a program of the same name, which runs where the disk is. */
  bin: string;
}

type Holder = ChildProcessByStdio<Writable, Readable, Readable>;

/** Ways into a mount namespace of one's own, and how another process follows. */
const WAYS = [
  { unshare: ["--mount"], nsenter: ["--mount"] },
  {
    unshare: ["--user", "--map-root-user", "--mount"],
    nsenter: ["--user", "--mount", "--preserve-credentials"],
  },
];

// It holds the namespace, and with it the disk, until its input ends: with this process at the latest.
const HOLD = 'mount -t tmpfs -o "size=$1m" tmpfs "$2" && echo held && exec cat >/dev/null';

/**
 * Mounts a disk that stays while its program is ended and started.
 *
 * @throws {NotPossibleError} If this machine allows nobody here to mount anything.
 */
export async function openSmallDisk(options: SmallDiskOptions): Promise<SmallDisk> {
  const { dir, program, bin } = options;
  await mkdir(dir, { recursive: true });
  await mkdir(bin, { recursive: true });
  const { holder, nsenter } = await hold(options);
  const name = program.slice(program.lastIndexOf("/") + 1);
  const enter = ["nsenter", `--target=${holder.pid}`, ...nsenter, "--", program].map(quoted);
  await writeFile(join(bin, name), `#!/bin/sh\nexec ${enter.join(" ")} "$@"\n`);
  await chmod(join(bin, name), 0o755);
  const ballast = `/proc/${holder.pid}/root${join(dir, "ballast")}`;
  return {
    fill: () => fill(ballast),
    free: () => rm(ballast, { force: true }),
    async [Symbol.asyncDispose]() {
      const exited = once(holder, "exit");
      holder.stdin.end();
      await exited;
    },
  };
}

async function hold(
  { dir, megabytes }: SmallDiskOptions,
): Promise<{ holder: Holder; nsenter: string[] }> {
  let reason = `it is a ${process.platform}`;
  for (const { unshare, nsenter } of process.platform === "linux" ? WAYS : []) {
    const args = [...unshare, "--", "sh", "-c", HOLD, "sh", String(megabytes), dir];
    const holder = spawn("unshare", args, { stdio: "pipe" });
    let complaint = "";
    holder.stderr.on("data", (chunk) => complaint += chunk);
    const said = await Promise.race([
      once(holder.stdout, "data").then(String),
      once(holder, "close").then(() => undefined),
    ]).catch((error) => void (reason = String(error)));
    if (said !== undefined) return { holder, nsenter };
    reason = complaint.trim() || reason;
  }
  throw new NotPossibleError(`Cannot give a program a disk of its own here: ${reason}`);
}

/** A file that grows until nothing more fits, not even a page. */
async function fill(file: string): Promise<void> {
  const handle = await open(file, "a");
  try {
    for (let size = 2 ** 20; size >= 2 ** 12;) {
      try {
        const { bytesWritten } = await handle.write(Buffer.alloc(size));
        if (bytesWritten < size) size /= 2;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        size /= 2;
      }
    }
  } finally {
    await handle.close();
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
