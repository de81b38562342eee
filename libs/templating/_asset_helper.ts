import { type HelperContext, HelperError, shown } from "./_helper_values.ts";

/** Returns the address of a stored image: `cid:logo`, a URL, or the image itself. */
export function assetAddress([name]: unknown[], { assets }: HelperContext): string {
  if (typeof name !== "string" || !Object.hasOwn(assets, name)) {
    throw new HelperError(`Cannot show the image ${shown(name)}: no such image is stored`);
  }
  return assets[name] ?? "";
}
