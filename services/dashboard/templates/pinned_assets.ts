import type { EmailVersion, PdfVersion, PinnedAsset } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { CompiledParts } from "./ask_renderer.ts";

/** Returns the field of a version with the stored files that it uses; none if it uses none. */
export function assetsFieldOf(
  { assets = [] }: Pick<CompiledParts, "assets">,
): { assets?: PinnedAsset[] } {
  return assets.length === 0 ? {} : { assets };
}

/** Returns whether a version shows the same images as a source that was compiled now. */
export function hasSameAssets(
  version: Pick<EmailVersion | PdfVersion, "assets">,
  compiled: Pick<CompiledParts, "assets">,
): boolean {
  return listed(version.assets) === listed(compiled.assets);
}

function listed(assets: readonly PinnedAsset[] = []): string {
  return JSON.stringify(assets.map(({ name, sha256, url }) => [name, sha256, url]).sort());
}

/** Makes sure that the files of a version are stored when it is published, even if their names are removed now. */
export async function keepAssets(
  accountId: string,
  { assets = [] }: Pick<CompiledParts, "assets">,
  store: StorePart<"assets.keep">,
): Promise<void> {
  const needed = assets.map(({ sha256 }) => ({ sha256 }));
  if (needed.length > 0) await store.assets.keep(accountId, needed, new Date());
}
