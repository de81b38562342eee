import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Env } from "./user_cache_dir.ts";

/** Options of a download of mongod. */
export interface FetchOptions {
  env: Env;
  /** An empty folder, used only for this download. */
  dir: string;
  onProgress: (line: string) => void;
}

/** A working route delivers its first bytes sooner than this. */
const FIRST_BYTES_MS = 2_500;
const STALLED_MS = 60_000;

/**
 * Downloads mongod from MongoDB's own site (or the mirror in `MONGOMS_DOWNLOAD_MIRROR`), for this system.
 *
 * @returns The path of the file inside `dir`.
 * @throws {Error} If there is no route, which shows within 3 s, or no build for this system.
 */
export async function fetchMongodFromMongodb(options: FetchOptions): Promise<string> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "_mongod_download_child.ts"), options.dir],
    {
      env: { ...options.env, npm_config_strict_ssl: "true", MONGOMS_MAX_RETRIES: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  try {
    return await fileFrom(child, options.onProgress);
  } finally {
    child.kill("SIGKILL");
  }
}

function fileFrom(child: ChildProcess, onProgress: (line: string) => void): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (reason: string) =>
    reject(new Error(`Cannot download mongod from MongoDB's own site: ${reason}`));
  let timer = setTimeout(() => fail("it does not answer"), FIRST_BYTES_MS);
  let errors = "";
  child.stderr?.on("data", (chunk) => errors += chunk);
  if (child.stdout !== null) {
    createInterface(child.stdout).on("line", (line) => {
      clearTimeout(timer);
      timer = setTimeout(() => fail("the download stalled"), STALLED_MS);
      const file = /^file: (.+)$/.exec(line)?.[1];
      if (file !== undefined) return resolve(file);
      onProgress(progressIn(line));
    });
  }
  child.once("error", (error) => fail(error.message));
  // "close" comes after the last line was read, "exit" may come before.
  child.once("close", () => fail(/(?:Error: )(.+)/.exec(errors)?.[1] ?? "it ended early"));
  return promise.finally(() => clearTimeout(timer));
}

/** Turns `Downloading MongoDB "8.2.6": 32.6% (61.1mb / 187.4mb)` into a line of our own. */
function progressIn(line: string): string {
  const [, version, done, total] = /"([\d.]+)".*\(([\d.]+)mb \/ ([\d.]+)mb\)/.exec(line) ?? [];
  if (version === undefined) return line.trim();
  return `downloading mongod ${version}, ${Math.round(Number(done))} of ${
    Math.round(Number(total))
  } MB`;
}
