import type { AssetView } from "../../../../interface/assets.ts";
import { sizeText } from "../templates/size_text.ts";

/** Returns the kind and the sizes of a file: `PNG, 200 × 80, 3.4 KB`. */
export function fileFacts({ contentType, width, height, size }: AssetView): string {
  const [type = ""] = contentType.split(";");
  const kind = type.slice(type.indexOf("/") + 1).replace(/\+xml$/, "").toUpperCase();
  const pixels = width === null || height === null ? [] : [`${width} × ${height}`];
  return [kind, ...pixels, sizeText(size)].join(", ");
}
