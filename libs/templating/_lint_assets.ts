import { MAX_IMAGE_BYTES, type PageOptions, type UsedAsset } from "@posthaste/contracts";
import { type Found, WHOLE } from "./lint_finding.ts";
import type { LintInput } from "./lint_input.ts";

/** Checks the stored images, fonts and PDFs that a template names. */
export function lintAssets({ kind, source, assets: all = [] }: LintInput): Found[] {
  const assets = all.filter(({ appended }) => appended !== true);
  const found = assets.flatMap(({ name, line, column, partial, asset }): Found[] => {
    const place = { part: "html" as const, line, column, partial };
    if (asset === null) {
      return [{ ...place, rule: "unknown_asset", message: `There is no stored image "${name}"` }];
    }
    const isFont = asset.contentType.startsWith("font/");
    if (asset.contentType.startsWith("image/") || isFont && kind === "pdf") return [];
    const message = isFont
      ? `"${name}" is a font: mails cannot carry fonts, only PDFs can`
      : `"${name}" is not an image, but a file of type "${asset.contentType}"`;
    return [{ ...place, rule: "asset_not_image", message }];
  });
  // What a mail shows by a URL is not in it.
  const inside = assets.flatMap(({ asset }) => asset === null || asset.url ? [] : [asset.size]);
  const bytes = inside.reduce((sum, size) => sum + size, 0);
  const most = MAX_IMAGE_BYTES[kind];
  found.push(...lintAppended(source.page, all.filter(({ appended }) => appended === true)));
  if (bytes <= most) return found;
  const [has, limit] = [bytes, most].map((size) => (size / 1_000_000).toFixed(1));
  const message =
    `The stored files of the template have ${has} MB, more than the limit of ${limit} MB`;
  return [...found, { ...WHOLE, rule: "assets_too_large", message }];
}

/** Checks the stored PDFs that the page options append. */
function lintAppended(page: PageOptions | null, appended: readonly UsedAsset[]): Found[] {
  const found = appended.flatMap(({ name, asset }): Found[] => {
    if (asset === null) {
      return [{ ...WHOLE, rule: "unknown_asset", message: `There is no stored PDF "${name}"` }];
    }
    if (asset.contentType === "application/pdf") return [];
    const message = `"${name}" is not a PDF, but a file of type "${asset.contentType}"`;
    return [{ ...WHOLE, rule: "asset_not_pdf", message }];
  });
  if (page?.conformance === undefined || !page.append?.length) return found;
  const message = "Appended pages may break the rules of PDF/A";
  return [...found, { ...WHOLE, rule: "append_in_archive", message }];
}
