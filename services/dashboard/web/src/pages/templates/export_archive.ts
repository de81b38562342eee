import type { Bundle, BundleAsset } from "@posthaste/contracts";
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
  const manifest: Record<string, unknown> = {};
  for (const [name, asset] of Object.entries(assets)) {
    const file = `${name}${endingOf(asset)}`;
    const { alt, filename, contentType } = asset;
    manifest[file] = { name, alt, filename, contentType };
    exported.push({ path: `assets/${file}`, bytes: await load(name) });
  }
  if (Object.keys(manifest).length > 0) {
    exported.push(write("assets.json", `${JSON.stringify(manifest, null, 2)}\n`));
  }
  return exported;
}

function endingOf({ filename }: Pick<BundleAsset, "filename">): string {
  return /\.[a-z\d]{1,10}$/i.exec(filename)?.[0] ?? "";
}
