import { readFileSync, statSync } from "node:fs";

const MAX_BYTES = 65_536;

/** Name of the variable that has the path of a file instead of a secret setting's value. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

/**
 * Reads the value of a secret setting from a file, without surrounding white space. A secret in a file is in
 * no environment, which other processes, child processes and diagnostic reports show.
 *
 * @throws {Error} If there is no such file, it cannot be read, or it is larger than 64 KiB. The
 * message has the reason only, neither path nor contents.
 */
export function readSecretFile(file: string): string {
  let reason = `the file is larger than ${MAX_BYTES / 1024} KiB`;
  try {
    if (statSync(file).size <= MAX_BYTES) return readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    reason = REASONS[code ?? ""] ?? `the file cannot be read (${code})`;
  }
  throw new Error(reason);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "the file may not be read by this user",
  EISDIR: "it is a folder",
};
