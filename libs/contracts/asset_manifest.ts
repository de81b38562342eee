import { extensionOf, typeOfFile, usualFilename } from "./asset_filename.ts";
import type { AssetManifest } from "./asset_manifest_schema.ts";
import type { BundleAsset } from "./bundle_asset.ts";

/** The file that says what the files below `assets/` are, by their file names. */
export const ASSET_MANIFEST = "assets.json";

/** Assets as files. */
export interface FiledAssets {
  /** The file of each asset below `assets/`, by the asset's name. */
  files: ReadonlyMap<string, string>;
  /** Entries of the files that their names do not describe. */
  manifest: AssetManifest;
}

/** An asset, without its bytes. */
type Described = Omit<BundleAsset, "sha256" | "size">;

/**
 * Names the files of assets, and describes them. `present` has the files that a folder already has, by the names of
 * their assets. They keep their names, and no other file gets one of these, not even in another case.
 */
export function fileAssets(
  assets: Readonly<Record<string, Described>>,
  present: ReadonlyMap<string, string> = new Map(),
): FiledAssets {
  const taken = new Set([...present.values()].map((file) => file.toLowerCase()));
  const files = new Map<string, string>();
  const manifest: AssetManifest = {};
  for (const [name, asset] of Object.entries(assets).sort(byName)) {
    const file = present.get(name) ?? freeFile(usualFilename(name, asset.contentType), taken);
    files.set(name, file);
    const entry = entryOf(file, { ...asset, name });
    if (entry !== undefined) manifest[file] = entry;
  }
  return { files, manifest };
}

/** Writes `assets.json`, with its files in order. */
export function assetManifestText(manifest: AssetManifest): string {
  const sorted = Object.fromEntries(Object.entries(manifest).sort(byName));
  return `${JSON.stringify(sorted, null, 2)}\n`;
}

/** Returns the name of an asset whose file has no entry: `logo.png` is `logo`. */
export function assetNameOf(file: string): string {
  return file.slice(0, file.length - extensionOf(file).length);
}

/** Returns a name that no other file has. */
function freeFile(wanted: string, taken: Set<string>): string {
  const ending = extensionOf(wanted);
  const stem = wanted.slice(0, wanted.length - ending.length);
  let file = wanted;
  for (let number = 2; taken.has(file.toLowerCase()); number++) file = `${stem}-${number}${ending}`;
  taken.add(file.toLowerCase());
  return file;
}

/** Returns the entry of a file, without what follows from its name; undefined if it says nothing then. */
function entryOf(
  file: string,
  { name, alt, filename, contentType }: Described & { name: string },
): AssetManifest[string] | undefined {
  const entry = {
    ...(name === assetNameOf(file) ? {} : { name }),
    ...(alt === "" ? {} : { alt }),
    ...(filename === usualFilename(name, contentType) ? {} : { filename }),
    ...(contentType === typeOfFile(file) ? {} : { contentType }),
  };
  return Object.keys(entry).length === 0 ? undefined : entry;
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
