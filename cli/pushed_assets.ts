import type { BundleAssetChange, WantedAsset } from "@posthaste/contracts";
import type { AuthoredAsset } from "./read_asset_folder.ts";

/** Returns the assets of a folder without their bytes, by name, as a plan takes them. */
export function wantedAssets(assets: readonly AuthoredAsset[]): Record<string, WantedAsset> {
  return Object.fromEntries(
    assets.map(({ name, sha256, bytes, contentType, alt, filename }) => [name, {
      ...{ sha256, size: bytes.length, contentType },
      ...(alt === undefined ? {} : { alt }),
      ...(filename === undefined ? {} : { filename }),
    }]),
  );
}

/** Returns the bytes that the account lacks, as base64 by their SHA-256. */
export function lackingContents(
  assets: readonly AuthoredAsset[],
  planned: readonly BundleAssetChange[],
): Record<string, string> {
  const names = new Set(planned.filter(({ needsContent }) => needsContent).map(({ name }) => name));
  return Object.fromEntries(
    assets.filter(({ name }) => names.has(name))
      .map(({ sha256, bytes }) => [sha256, bytes.toString("base64")]),
  );
}
