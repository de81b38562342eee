import { ASSET_MANIFEST, type AssetManifest, assetManifestSchema } from "@posthaste/contracts";
import type { FileFault } from "./file_fault.ts";
import { readJson } from "./json_document.ts";

/** Reads `assets.json`. Returns every fault with its place. */
export function readAssetManifest(text: string): { manifest: AssetManifest; faults: FileFault[] } {
  const { document, faults } = readJson(text);
  const found: FileFault[] = faults.map((fault) => ({ file: ASSET_MANIFEST, ...fault }));
  if (document === undefined) return { manifest: {}, faults: found };
  const { data, error } = assetManifestSchema.safeParse(document.value);
  for (const { path, message } of error?.issues ?? []) {
    const place = document.placeOf(path);
    const said = path.length === 0 ? message : `"${path.join(".")}": ${message}`;
    found.push({ file: ASSET_MANIFEST, ...place, message: said });
  }
  return { manifest: data ?? {}, faults: found };
}
