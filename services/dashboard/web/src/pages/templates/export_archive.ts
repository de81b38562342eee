import { ASSET_MANIFEST, assetManifestText, type Bundle, fileAssets } from "@posthaste/contracts";
import type { ArchivedFile } from "./tar_archive.ts";

/** Loads the bytes of a stored file, by its name. */
export type LoadAsset = (name: string) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Returns the files of a bundle as a folder for `posthaste import` has them: those of the templates, the stored
 * files below `assets/`, and `assets.json`, which describes them.
 */
export async function exportedFiles(
  { files, assets }: Bundle,
  load: LoadAsset,
): Promise<ArchivedFile[]> {
  const write = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });
  const exported = Object.entries(files).map(([path, text]) => write(path, text));
  const filed = fileAssets(assets);
  for (const [name, file] of filed.files) {
    exported.push({ path: `assets/${file}`, bytes: await load(name) });
  }
  if (Object.keys(filed.manifest).length > 0) {
    exported.push(write(ASSET_MANIFEST, assetManifestText(filed.manifest)));
  }
  return exported;
}
