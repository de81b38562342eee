import type { AssetView } from "../../../../interface/assets.ts";
import { writtenAlt } from "../../../../texts/replace_image.ts";

/** The width of most mails, in pixels. */
const MAIL_WIDTH = 600;

/** Returns the width in which a mail shows an image, unless its author wants another. */
export function shownWidth({ width }: Pick<AssetView, "width">): number | null {
  return width === null || width === 0 ? null : Math.min(width, MAIL_WIDTH);
}

/** Returns what shows a stored image in a template's source, as wide as given. */
export function imageTag(
  { name, alt, width: shown }: Pick<AssetView, "name" | "alt" | "width">,
  { isMjml }: { isMjml: boolean },
): string {
  const attributes = `src="{{asset "${name}"}}" alt="${writtenAlt(alt)}"`;
  if (isMjml) return `<mj-image ${attributes}${shown === null ? "" : ` width="${shown}px"`} />`;
  return `<img ${attributes}${shown === null ? "" : ` width="${shown}"`}>`;
}
