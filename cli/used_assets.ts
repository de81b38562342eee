import type { AssetUse, PinnedAsset, TemplateKind, UsedAsset } from "@posthaste/contracts";

/**
 * Finds the stored file of a name: null if there is none, undefined if nobody knows, because there is no database.
 */
export type FindAsset = (name: string, kind: TemplateKind) => PinnedAsset | null | undefined;

/** The stored images of a template. */
export interface UsedAssets {
  /** Places whose file is known, or known to be missing. */
  used: UsedAsset[];
  pinned: PinnedAsset[];
  /** What `{{asset "name"}}` becomes when the sample is rendered. */
  addresses: Readonly<Record<string, string>>;
}

/** Stands for an image in a PDF. */
const ANY_IMAGE = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** Finds the images of a template. */
export function usedAssets(
  kind: TemplateKind,
  { uses, findAsset }: { uses: readonly AssetUse[]; findAsset: FindAsset },
): UsedAssets {
  const found = uses.map((use) => ({ use, asset: findAsset(use.name, kind) }));
  const used = found.flatMap(({ use, asset }) => asset === undefined ? [] : [{ ...use, asset }]);
  const pinned = used.flatMap(({ asset }) => asset ?? []);
  const addresses = found.map(({ use: { name }, asset }) => [
    name,
    kind === "pdf" ? ANY_IMAGE : asset?.url ?? `cid:${name}`,
  ]);
  return { used, pinned, addresses: Object.fromEntries(addresses) };
}
