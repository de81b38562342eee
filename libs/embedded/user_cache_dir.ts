import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import process from "node:process";

/** The settings of the environment, as `process.env` holds them. */
export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The folder where downloads are kept for every checkout of this user: `posthaste` inside
 * `XDG_CACHE_HOME`, else inside `~/.cache` (XDG Base Directory Specification; a relative path
 * there is to be ignored).
 */
export function userCacheDir(env: Env): string {
  const xdg = env["XDG_CACHE_HOME"];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "posthaste");
  return join(env["HOME"] || homedir(), ".cache", "posthaste");
}

/** Where root keeps what other users read, too (Filesystem Hierarchy Standard 3.0, section 5.5). */
const SYSTEM_CACHE_DIR = "/var/cache/posthaste";

/**
 * The folder where Chromium and fonts are kept, about 320 MB: `CACHE_DIR`, else in the user's cache. Root
 * has them where another user can read them, who runs Chromium.
 */
export function chromiumCacheDir(env: Env): string {
  if (env["CACHE_DIR"]) return env["CACHE_DIR"];
  const isRoot = process.getuid?.() === 0;
  return join(isRoot ? SYSTEM_CACHE_DIR : userCacheDir(env), "chromium");
}
