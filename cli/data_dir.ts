import { resolve } from "node:path";

/**
 * Returns the folder where `npm start` keeps all its data and the command line finds the running system:
 * `DATA_DIR`, relative to the repository.
 *
 * @default {.posthaste}
 */
export function dataDirOf(
  env: Readonly<Record<string, string | undefined>>,
  root: string,
): string {
  return resolve(root, env["DATA_DIR"] || ".posthaste");
}
