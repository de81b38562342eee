import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import process from "node:process";

/** The settings of the environment, as in `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder of downloads for every checkout of this user: `posthaste` inside `XDG_CACHE_HOME`, or
 * else inside `~/.cache` (XDG Base Directory Specification, by which a relative path there is ignored).
 */
export function userCacheDir(env: Env): string {
  const xdg = env["XDG_CACHE_HOME"];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "posthaste");
  return join(env["HOME"] || homedir(), ".cache", "posthaste");
}

/**
 * The folder of root's downloads that other users read, too (Filesystem Hierarchy Standard 3.0, section 5.5).
 */
const SYSTEM_CACHE_DIR = "/var/cache/posthaste";

/**
 * Returns the folder of Chromium and fonts, about 320 MB: `CACHE_DIR`, or else in the user's cache. For root,
 * it is a folder that other users can read, because another user runs Chromium.
 */
export function chromiumCacheDir(env: Env): string {
  if (env["CACHE_DIR"]) return env["CACHE_DIR"];
  const isRoot = process.getuid?.() === 0;
  return join(isRoot ? SYSTEM_CACHE_DIR : userCacheDir(env), "chromium");
}
