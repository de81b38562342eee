import type { FileFault } from "@posthaste/bundle";
import { isBlockedFile, MAX_ASSETS, usualFilename } from "@posthaste/contracts";
import type { AssetName, StorePart } from "@posthaste/storage";
import type { AuthoredAsset } from "./read_asset_folder.ts";
import type { FindAsset } from "./used_assets.ts";

/** The operations that importing stored files needs. */
export type AssetKeeper = StorePart<"assets.keep" | "assets.listNames" | "assets.putName">;

/** The result for one stored file. */
export interface ImportedAsset {
  name: string;
  outcome: "new" | "updated" | "unchanged";
}

/** A planned file of an import. */
export interface ReadyAsset extends ImportedAsset {
  asset: AssetName;
  bytes: Buffer;
}

/** Compares the files of a folder with those that an account keeps. */
export function planImportedAssets(
  folder: readonly AuthoredAsset[],
  { accountId, kept }: { accountId: string; kept: readonly AssetName[] },
): { ready: ReadyAsset[]; faults: FileFault[] } {
  const ready = folder.map((one) => readyAsset(one, { accountId, kept }));
  const faults: FileFault[] = ready.flatMap(({ asset: { filename } }, index) =>
    !isBlockedFile(filename) ? [] : [{
      file: `assets/${folder[index]?.file}`,
      message: "has an ending that mail servers refuse",
    }]
  );
  const added = ready.filter(({ outcome }) => outcome === "new").length;
  if (added > 0 && kept.length + added > MAX_ASSETS) {
    faults.push({ file: "assets", message: `the account may keep ${MAX_ASSETS} files` });
  }
  return { ready, faults };
}

/** Stores the files that are new or changed. */
export async function storeImportedAssets(
  ready: readonly ReadyAsset[],
  { assets: { putName } }: AssetKeeper,
): Promise<ImportedAsset[]> {
  for (const { asset, bytes, outcome } of ready) {
    if (outcome !== "unchanged") await putName(asset, bytes);
  }
  return ready.map(({ name, outcome }) => ({ name, outcome }));
}

/** Returns how templates find files: those of the folder, then those that the account keeps. */
export function openAssetFinder(
  assets: readonly Omit<AssetName, "accountId" | "updatedAt">[],
  { baseUrl }: { baseUrl?: string | undefined } = {},
): FindAsset {
  const byName = new Map(assets.map((one) => [one.name, one]));
  const base = baseUrl?.replace(/\/+$/, "");
  return (name, kind) => {
    const found = byName.get(name);
    if (found === undefined) return null;
    const { sha256, size, filename, contentType } = found;
    const asset = { name, sha256, size, filename, contentType };
    const isShown = kind === "email" && base !== undefined && contentType.startsWith("image/");
    return isShown ? { ...asset, url: `${base}/assets/${sha256}` } : asset;
  };
}

/** Returns a file of a folder as an account keeps it. */
function readyAsset(
  { name, bytes, sha256, contentType, width, height, ...said }: AuthoredAsset,
  { accountId, kept }: { accountId: string; kept: readonly AssetName[] },
): ReadyAsset {
  const previous = kept.find((one) => one.name === name);
  const isSameType = previous?.contentType === contentType;
  const filename = said.filename ??
    (isSameType ? previous.filename : usualFilename(name, contentType));
  const alt = said.alt ?? previous?.alt ?? "";
  const asset: AssetName = {
    ...{ accountId, name, sha256, size: bytes.length, contentType, filename, alt },
    ...(width && height ? { width, height } : {}),
    updatedAt: new Date(),
  };
  const isSame = isSameType && previous.sha256 === sha256 && previous.filename === filename &&
    (previous.alt ?? "") === alt;
  const outcome = previous === undefined ? "new" : isSame ? "unchanged" : "updated";
  return { name, outcome, asset, bytes };
}
