import { extname } from "node:path";
import { typeOfFile, usualFilename } from "@posthaste/assets";
import { type FileFault, readJson } from "@posthaste/bundle";
import {
  altTextSchema,
  assetNameSchema,
  type BundleAsset,
  contentTypeSchema,
  filenameSchema,
} from "@posthaste/contracts";
import { z } from "zod";

/** The file that says what the files below `assets/` are, by their file names. */
export const ASSET_MANIFEST = "assets.json";

const entrySchema = z.strictObject({
  /** The name that templates use. @default the file name without its ending */
  name: assetNameSchema.optional(),
  alt: altTextSchema.optional(),
  /** The name that recipients see if it is attached. */
  filename: filenameSchema.optional(),
  /** @default by the ending of the file name */
  contentType: contentTypeSchema.optional(),
});

const manifestSchema = z.record(z.string(), entrySchema);

/** What a folder says of its assets, by file name. */
export type AssetManifest = z.infer<typeof manifestSchema>;

/** Reads `assets.json`. Returns every fault with its place. */
export function readManifest(text: string): { manifest: AssetManifest; faults: FileFault[] } {
  const { document, faults } = readJson(text);
  const found: FileFault[] = faults.map((fault) => ({ file: ASSET_MANIFEST, ...fault }));
  if (document === undefined) return { manifest: {}, faults: found };
  const { data, error } = manifestSchema.safeParse(document.value);
  for (const { path, message } of error?.issues ?? []) {
    const place = document.placeOf(path);
    const said = path.length === 0 ? message : `"${path.join(".")}": ${message}`;
    found.push({ file: ASSET_MANIFEST, ...place, message: said });
  }
  return { manifest: data ?? {}, faults: found };
}

/** Writes `assets.json`, with its files in order. */
export function manifestText(manifest: AssetManifest): string {
  const sorted = Object.entries(manifest).sort(([a], [b]) => a < b ? -1 : 1);
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

/** Returns the name of a file without an entry: `logo.png` is `logo`. */
export function nameOfFile(file: string): string {
  return file.slice(0, file.length - extname(file).length);
}

/** Returns the entry of a file, without what follows from its name; undefined if it says nothing then. */
export function entryOf(
  file: string,
  { name, alt, filename, contentType }: Omit<BundleAsset, "sha256" | "size"> & { name: string },
): AssetManifest[string] | undefined {
  const entry = {
    ...(name === nameOfFile(file) ? {} : { name }),
    ...(alt === "" ? {} : { alt }),
    ...(filename === usualFilename(name, contentType) ? {} : { filename }),
    ...(contentType === typeOfFile(file) ? {} : { contentType }),
  };
  return Object.keys(entry).length === 0 ? undefined : entry;
}
