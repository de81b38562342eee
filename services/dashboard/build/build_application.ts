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
  /** Called with one line when there is something to build. */
  onProgress?: (line: string) => void;
}

/** Name of the file with the fingerprint of the build's sources. A name with a dot is not served. */
const STAMP = ".sources";

/**
 * Builds the browser's application into `web/dist`, with each text compressed beside it. If the
 * existing build has the same sources, it only reads these, in about 20 ms. The old build stays
 * until the new one is complete; concurrent builds do not disturb each other.
 *
 * @throws {Error} If the sources cannot be built, with the compiler's message.
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
      // A concurrent build of the same sources finished first.
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

/** Compiles the application. The compiler takes a while to load, so it is loaded on demand. */
async function compile(web: string, outDir: string): Promise<void> {
  // The caller may be in another mode, in which React would add its own checks.
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
