import type { AssetView } from "../../../../interface/assets.ts";

/** What names a stored file, and where it is written. */
export interface FileUse {
  text: string;
  readers: "templates" | "PDF templates" | "requests";
}

/** Returns how a stored file is used: an image and a font by templates, others by requests. */
export function fileUse({ name, contentType }: Pick<AssetView, "name" | "contentType">): FileUse {
  const address = `{{asset "${name}"}}`;
  if (contentType.startsWith("image/")) return { text: address, readers: "templates" };
  if (contentType.startsWith("font/")) {
    const text = `@font-face { font-family: "${name}"; src: url(${address}) }`;
    return { text, readers: "PDF templates" };
  }
  return { text: JSON.stringify({ asset: name }), readers: "requests" };
}
