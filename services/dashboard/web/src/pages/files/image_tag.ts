import type { AssetView } from "../../../../interface/assets.ts";

/** The width of most mails, in pixels. */
const MAIL_WIDTH = 600;

/** Returns what shows a stored image in a template's source. */
export function imageTag(
  { name, alt, width }: Pick<AssetView, "name" | "alt" | "width">,
  { isMjml }: { isMjml: boolean },
): string {
  const described = alt.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/\{\{/g, "{ {");
  const shown = width === null ? null : Math.min(width, MAIL_WIDTH);
  const attributes = `src="{{asset "${name}"}}" alt="${described}"`;
  if (isMjml) return `<mj-image ${attributes}${shown === null ? "" : ` width="${shown}px"`} />`;
  return `<img ${attributes}${shown === null ? "" : ` width="${shown}"`}>`;
}
