import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { missingLibrary } from "./_start_failure.ts";
import type { Env } from "./user_cache_dir.ts";

/** Returns every executable file of that name on the PATH, in its order. */
export async function programsOnPath(name: string, env: Env): Promise<string[]> {
  const found: string[] = [];
  for (const dir of (env["PATH"] ?? "").split(delimiter).filter((dir) => dir !== "")) {
    const file = join(dir, name);
    if (await isExecutable(file)) found.push(file);
  }
  return found;
}

/** Returns whether the file exists and this user may run it. */
export async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(() => true, () => false);
}

/**
 * Returns the version of a program, such as `8.2.6`.
 *
 * @throws {Error} If it does not run here, with the reason.
 */
export async function programVersion(file: string): Promise<string> {
  const { stdout } = await promisify(execFile)(file, ["--version"], { timeout: 10_000 })
    .catch((error: Error) => {
      const library = /shared libraries: ([^\s:]+)/.exec(error.message)?.[1];
      const reason = library === undefined ? error.message.trim() : missingLibrary(library);
      throw new Error(`Cannot run "${file}": ${reason}`, { cause: error });
    });
  const version = /v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) {
    throw new Error(`Cannot run "${file}": it does not report its version`);
  }
  return version;
}

/** Returns whether version `a` is `b` or newer; both are dotted numbers. */
export function isAtLeast(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
