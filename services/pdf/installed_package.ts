import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** An npm package on this machine. */
export interface InstalledPackage {
  folder: string;
  version: string;
}

/**
 * Returns where an npm package is installed, or `undefined` if it is not. It is found through its entry
 * point, because most packages do not export their `package.json`.
 */
export async function installedPackage(name: string): Promise<InstalledPackage | undefined> {
  let folder: string;
  try {
    folder = dirname(fileURLToPath(import.meta.resolve(name)));
  } catch {
    return undefined;
  }
  for (; folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
    const manifest: { name?: string; version?: string } = text === undefined
      ? {}
      : JSON.parse(text);
    if (manifest.name === name) return { folder, version: manifest.version ?? "0" };
  }
  return undefined;
}
