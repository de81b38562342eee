import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

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
