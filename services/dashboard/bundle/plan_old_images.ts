import type { NamedSource } from "@posthaste/bundle";
import type { BundleWish } from "@posthaste/contracts";
import { fileOfAsset } from "./plan_assets.ts";
import type { PlannedChange } from "./plan_change.ts";
import { publishedSource, type TemplateState } from "./template_state.ts";

/**
 * Plans to publish a template again whose published version shows an image with other bytes than the push has
 * under its name. Its source stays as it is.
 */
export function planOldImages(
  wanted: NamedSource,
  { state, wish }: { state: TemplateState | null; wish: BundleWish },
): PlannedChange | null {
  if (state?.published == null || !wish.publish) return null;
  const old = (state.published.assets ?? []).filter(({ name, sha256 }) =>
    Object.hasOwn(wish.assets, name) && wish.assets[name]?.sha256 !== sha256
  );
  const source = publishedSource(state);
  if (old.length === 0 || source === null) return null;
  const { kind, alias, name } = wanted;
  return {
    ...{ kind, alias, change: "update", from: state.published.version, publish: true, state },
    ...{ files: old.map((one) => fileOfAsset(one.name)), wanted: { kind, alias, name, source } },
    ...{ replacesDraft: false, draftBase: null, overwritesDraft: false },
  };
}
