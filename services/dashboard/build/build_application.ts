import { existsSync, readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { compressTexts } from "./compress.ts";
import { fingerprintOf } from "./fingerprint.ts";

/** How the application is built. */
export interface BuildOptions {
  /** Folder of the repository. */
  root: string;
  /** Told, in a line, when there is something to build. */
  onProgress?: (line: string) => void;
}

/** Holds the fingerprint of what the build was made of. A name with a dot is not served. */
const STAMP = ".sources";

/**
 * Builds the browser's application into `web/dist`, with each text compressed beside it, unless what is
 * there was made of the same sources: then it reads these and does nothing, in some 20 ms.
 * The old build is there until the new one is whole; two that build at once do not disturb each other.
 *
 * @throws {Error} If the sources cannot be built, with the compiler's words.
 */
export async function buildApplication(
  { root, onProgress }: BuildOptions,
): Promise<"built" | "fresh"> {
  const web = join(root, "services/dashboard/web");
  const folder = join(web, "dist");
  const fingerprint = fingerprintOf(root);
  if (isMadeOf(fingerprint, folder)) return "fresh";
  onProgress?.("building the dashboard");
  const partial = join(web, `.dist-${process.pid}`);
  const old = `${partial}-old`;
  try {
    await compile(web, partial);
    await compressTexts(partial);
    await writeFile(join(partial, STAMP), fingerprint);
    await rename(folder, old).catch(ignoreMissing);
    await rename(partial, folder).catch((error) => {
      // Another build, of the same sources, was there first.
      if (!isMadeOf(fingerprint, folder)) throw error;
    });
  } finally {
    await Promise.all([partial, old].map((path) => rm(path, { recursive: true, force: true })));
  }
  return "built";
}

function isMadeOf(fingerprint: string, folder: string): boolean {
  const stamp = join(folder, STAMP);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint;
}

/** The compiler takes a while to load, so it is loaded when it is needed. */
async function compile(web: string, outDir: string): Promise<void> {
  // Anyone who asks may be in another mode, in which React would check itself at every step.
  process.env["NODE_ENV"] = "production";
  const [{ build }, { default: config }] = await Promise.all([
    import("vite"),
    import("../web/vite.config.ts"),
  ]);
  await build({
    ...config,
    root: web,
    configFile: false,
    logLevel: "error",
    build: { ...config.build, outDir, emptyOutDir: true },
  });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
