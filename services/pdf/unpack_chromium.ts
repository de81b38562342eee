import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { extract } from "tar-fs";
import { installedPackage } from "./installed_package.ts";

/** Chromium, unpacked. */
export interface UnpackedChromium {
  executablePath: string;
  /** Folder of NSS and other libraries that a minimal system may lack. */
  libraryPath: string;
}

/**
 * Unpacks the Chromium headless shell of `@sparticuz/chromium` into `cacheDir`, once per version: about 210
 * MB and a few seconds. Concurrent processes do not disturb each other. The package's own unpacking is not
 * used: it works in the system's temporary folder, and is not safe for two processes.
 *
 * @throws {Error} When the package is not installed or the folder cannot be written.
 */
export async function unpackChromium(cacheDir: string): Promise<UnpackedChromium> {
  const found = await installedPackage("@sparticuz/chromium");
  if (!found) throw new Error("Cannot unpack Chromium: @sparticuz/chromium is not installed");
  const { folder, version } = found;
  const target = join(cacheDir, `chromium-${version}-${process.platform}-${process.arch}`);
  const unpacked = {
    executablePath: join(target, "chromium"),
    libraryPath: join(target, "lib"),
  };
  if (await exists(unpacked.executablePath)) return unpacked;
  const partial = `${target}.${randomUUID()}`;
  try {
    await mkdir(partial, { recursive: true });
    await Promise.all([
      unpackFile(join(folder, "bin", "chromium.br"), join(partial, "chromium")),
      unpackTar(join(folder, "bin", "al2023.tar.br"), partial),
    ]);
    await rename(partial, target);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    // Another process was faster.
    if (await exists(unpacked.executablePath)) return unpacked;
    throw new Error(`Cannot unpack Chromium into ${JSON.stringify(target)}`, { cause });
  }
  return unpacked;
}

async function unpackFile(source: string, target: string): Promise<void> {
  await pipeline(
    createReadStream(source),
    createBrotliDecompress(),
    createWriteStream(target, { mode: 0o755 }),
  );
}

async function unpackTar(source: string, target: string): Promise<void> {
  await pipeline(createReadStream(source), createBrotliDecompress(), extract(target));
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(() => true, () => false);
}
