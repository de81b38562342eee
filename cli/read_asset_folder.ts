import { hash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { AssetFault, readAsset } from "@posthaste/assets";
import { type FileFault, readAssetManifest } from "@posthaste/bundle";
import {
  ASSET_MANIFEST,
  type AssetManifest,
  assetNameOf,
  assetNameSchema,
  MAX_FILE_BYTES,
  typeOfFile,
} from "@posthaste/contracts";

/** A file below `assets/`. */
export interface AuthoredAsset {
  name: string;
  /** `logo.png` */
  file: string;
  /** As they are stored: SVG images without what is not kept. */
  bytes: Buffer;
  sha256: string;
  contentType: string;
  /** Of an image, in pixels. */
  width?: number | undefined;
  height?: number | undefined;
  /** Both are missing if `assets.json` does not say them. */
  alt?: string | undefined;
  filename?: string | undefined;
}

/** The assets of a folder. */
export interface AssetFolder {
  /** By file name. */
  assets: AuthoredAsset[];
  manifest: AssetManifest;
  faults: FileFault[];
  warnings: FileFault[];
}

/** Reads the files below `assets/` of a folder, and `assets.json`. Both may be missing. */
export async function readAssetFolder(folder: string): Promise<AssetFolder> {
  const text = await readFile(join(folder, ASSET_MANIFEST), "utf8").catch(orMissing("{}"));
  const { manifest, faults } = readAssetManifest(text);
  const found: AssetFolder = { assets: [], manifest, faults, warnings: [] };
  const listed = await readdir(join(folder, "assets")).catch(orMissing([]));
  const files = listed.filter((name) => !name.startsWith(".") && !name.endsWith("~")).sort();
  for (const file of files) await readInto(found, folder, file);
  for (const file of Object.keys(manifest).filter((file) => !files.includes(file))) {
    found.faults.push({ file: ASSET_MANIFEST, message: `"${file}" is not in the folder "assets"` });
  }
  return found;
}

async function readInto(found: AssetFolder, folder: string, file: string): Promise<void> {
  const path = `assets/${file}`;
  const entry = Object.hasOwn(found.manifest, file) ? found.manifest[file] : undefined;
  const { name = assetNameOf(file), contentType = typeOfFile(file), ...said } = entry ?? {};
  const info = await stat(join(folder, path));
  const problem = assetNameSchema.safeParse(name).error?.issues[0]?.message;
  if (!info.isFile()) {
    found.warnings.push({ file: path, message: "is ignored: it is not a file" });
  } else if (problem !== undefined) {
    const message = `its name ${problem}: set "name" in ${ASSET_MANIFEST}`;
    found.faults.push({ file: path, message });
  } else if (found.assets.some((one) => one.name === name)) {
    found.faults.push({ file: path, message: `has the name "${name}", as another file has` });
  } else if (info.size > MAX_FILE_BYTES) {
    found.faults.push({ file: path, message: `is larger than ${MAX_FILE_BYTES / 1_000_000} MB` });
  } else {
    try {
      const body = await readFile(join(folder, path));
      const read = readAsset(body, contentType);
      const sha256 = hash("sha256", read.bytes, "hex");
      found.assets.push({ ...read, name, file, sha256, ...said });
    } catch (error) {
      if (!(error instanceof AssetFault)) throw error;
      found.faults.push({ file: path, message: error.message });
    }
  }
}

function orMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return instead;
    throw error;
  };
}
