import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkFolder } from "../mutations/try_mutation.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** A commit of this repository, checked out beside it. Disposing removes it. */
export interface Version extends AsyncDisposable {
  readonly root: string;
  /** Its short hash and subject. */
  readonly name: string;
  /** Whether it declares other packages than the working tree, with which it runs all the same. */
  readonly hasOtherPackages: boolean;
}

/**
 * Checks out a commit into a folder of its own, with the packages of the working tree.
 *
 * @throws {Error} If the history has no such commit: a clone may be shallow.
 */
export async function openVersion(commit: string): Promise<Version> {
  const name = git(["log", "-1", "--format=%h %s", commit, "--"], commit).trim();
  const root = await mkdtemp(join(tmpdir(), "posthaste-version-"));
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 5 });
  try {
    const archive = execFileSync("git", ["archive", commit], {
      cwd: ROOT,
      maxBuffer: 1024 ** 3,
    });
    execFileSync("tar", ["-x", "-C", root], { input: archive });
    await linkFolder(join(ROOT, "node_modules"), join(root, "node_modules"));
  } catch (error) {
    await remove();
    throw error;
  }
  const lock = git(["diff", "--name-only", commit, "--", "package-lock.json"], commit);
  return { root, name, hasOtherPackages: lock.trim() !== "", [Symbol.asyncDispose]: remove };
}

function git(args: string[], commit: string): string {
  try {
    return execFileSync("git", args, {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (cause) {
    throw new Error(`Cannot take version "${commit}": the history has no such commit`, { cause });
  }
}
