import type { AssetDetail } from "../../../../interface/assets.ts";

const LISTED = 3;

/** Returns what happens if a file is removed, as sentences. */
export function removalText(usedBy: AssetDetail["usedBy"]): string {
  if (usedBy.length === 0) {
    return "No published template shows it. Requests that attach it are refused from then on.";
  }
  const names = usedBy.slice(0, LISTED).map(({ name }) => `“${name}”`);
  const more = usedBy.length - names.length;
  const all = [...names, ...(more > 0 ? [`${more} more`] : [])];
  const listed = all.length === 1 ? all[0] : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
  return usedBy.length === 1
    ? `The template ${listed} shows it. Its published version keeps the file, but it cannot be ` +
      "published again without it."
    : `The templates ${listed} show it. Their published versions keep the file, but they cannot be ` +
      "published again without it.";
}
