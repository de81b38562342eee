import {
  type BundleAssetChange,
  type BundleFault,
  isBlockedFile,
  MAX_ASSETS,
  type PinnedAsset,
  usualFilename,
  type WantedAsset,
} from "@posthaste/contracts";
import { formatBytes } from "@posthaste/runtime";
import type { AssetChange, AssetName, StorePart } from "@posthaste/storage";
import { HttpError } from "../http_error.ts";
import { requireQuota } from "../quotas.ts";

/** The planned change of one file. */
export interface PlannedAsset extends BundleAssetChange, AssetChange {}

/** The files of an account that a push changes. */
export interface PlannedAssets {
  planned: PlannedAsset[];
  faults: BundleFault[];
}

/**
 * Plans the changes of files; those that stay as they are are left out. Bytes count as known only if the account
 * itself keeps a file with them: the hash of another account's file, or of a sent attachment, opens nothing.
 *
 * @throws {HttpError} `conflict` if the account would keep too many files, or too many bytes.
 */
export async function planAssets(
  wanted: Readonly<Record<string, WantedAsset>>,
  { accountId, maxBytes }: { accountId: string; maxBytes: number },
  { assets: { listNames } }: StorePart<"assets.listNames">,
): Promise<PlannedAssets> {
  if (Object.keys(wanted).length === 0) return { planned: [], faults: [] };
  const kept = await listNames(accountId, { limit: MAX_ASSETS });
  const found: PlannedAssets = { planned: [], faults: [] };
  for (const [name, one] of Object.entries(wanted).sort(([a], [b]) => a < b ? -1 : 1)) {
    const change = planAsset({ ...one, name }, kept);
    if (change === null) continue;
    found.planned.push(change);
    if (isBlockedFile(change.asset.filename)) {
      found.faults.push({
        file: fileOfAsset(name),
        message: "has an ending that mail servers refuse",
      });
    }
  }
  requireQuotaFor(found.planned, { kept, maxBytes });
  return found;
}

/** Returns how faults and changes name a file. */
export function fileOfAsset(name: string): string {
  return `assets/${name}`;
}

/** Returns the part of a change that callers see. */
export function shownAsset(
  { name, change, parts, needsContent }: PlannedAsset,
): BundleAssetChange {
  return { name, change, parts, needsContent };
}

/** Returns a file as templates pin it. */
export function pinnedAssetOf({ asset }: PlannedAsset): PinnedAsset {
  const { name, sha256, size, filename, contentType } = asset;
  return { name, sha256, size, filename, contentType };
}

function planAsset(
  wanted: WantedAsset & { name: string },
  kept: readonly AssetName[],
): PlannedAsset | null {
  const { name, sha256, contentType } = wanted;
  const previous = kept.find((one) => one.name === name) ?? null;
  const same = kept.find((one) => one.sha256 === sha256 && one.contentType === contentType);
  const isSameType = previous?.contentType === contentType;
  const filename = wanted.filename ??
    (isSameType ? previous.filename : usualFilename(name, contentType));
  const alt = wanted.alt ?? previous?.alt ?? "";
  const parts: BundleAssetChange["parts"] = [];
  if (previous?.sha256 !== sha256 || !isSameType) parts.push("content");
  if (previous?.filename !== filename) parts.push("filename");
  if ((previous?.alt ?? "") !== alt) parts.push("alt");
  if (parts.length === 0) return null;
  const { width, height, size } = same ?? wanted as WantedAsset & Partial<AssetName>;
  return {
    ...{ name, change: previous === null ? "create" : "update", parts },
    ...{ needsContent: same === undefined, previous },
    asset: {
      ...{ name, sha256, size, contentType, filename, alt },
      ...(width && height ? { width, height } : {}),
    },
  };
}

function requireQuotaFor(
  planned: readonly PlannedAsset[],
  { kept, maxBytes }: { kept: readonly AssetName[]; maxBytes: number },
): void {
  const added = planned.filter(({ change }) => change === "create").length;
  if (added > 0) {
    const full = `The account may keep ${MAX_ASSETS} files. Remove some first`;
    requireQuota(kept.length + added - 1, MAX_ASSETS, full);
  }
  const sizes = new Map([...kept, ...planned.map(({ asset }) => asset)]
    .map(({ name, size }) => [name, size]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const grows = planned.some(({ parts }) => parts.includes("content"));
  if (!grows || bytes <= maxBytes) return;
  const error = `The files of the account would exceed ${formatBytes(maxBytes)} together`;
  throw new HttpError("conflict", `${error}. Remove some first`);
}
