import { join } from "node:path";
import process from "node:process";
import { findMongod, type MongodOptions } from "@posthaste/embedded";
import { openSmallDisk, type SmallDisk } from "./small_disk.ts";

/** A disk that a database has for itself, and what the database is to be started with to lie there. */
export interface DatabaseDisk {
  disk: SmallDisk;
  options: Pick<MongodOptions, "env" | "dataDir">;
}

/**
 * Mounts a disk for a database.
 *
 * @throws {NotPossibleError} If this machine allows nobody here to mount anything.
 */
export async function openDatabaseDisk(folder: string, megabytes: number): Promise<DatabaseDisk> {
  const { env } = process;
  const { file } = await findMongod({ env });
  const bin = join(folder, "bin");
  const dataDir = join(folder, "disk");
  const disk = await openSmallDisk({ dir: dataDir, megabytes, program: file, bin });
  return { disk, options: { dataDir, env: { ...env, PATH: `${bin}:${env["PATH"]}` } } };
}
