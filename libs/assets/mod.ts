/**
 * Files that accounts keep: recognised by their bytes, and made safe to show.
 *
 * ```ts
 * const { bytes, contentType, width } = readAsset(body, "image/svg+xml");
 * ```
 *
 * @module
 */
export { AssetFault } from "./asset_fault.ts";
export { PdfFault } from "./_pdf_syntax.ts";
export { type CopiedPages, type PdfPages, readPdfPages } from "./pdf_pages.ts";
export { type ReadAsset, readAsset } from "./read_asset.ts";
