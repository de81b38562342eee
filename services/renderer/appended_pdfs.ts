import { PdfFault, readPdfPages } from "@posthaste/assets";
import { MAX_APPENDED_BYTES, type PageOptions, type PinnedAsset } from "@posthaste/contracts";
import type { AssetAddresses } from "./kept_images.ts";

/** Stored PDFs cannot be appended. The message is a reason for people, without a final period. */
export class AppendError extends Error {
  override readonly name = "AppendError";
}

/**
 * Returns the PDFs that page options append, in base64.
 *
 * @throws {AppendError} If one is no longer stored.
 */
export function appendedPdfs(
  page: Pick<PageOptions, "append"> | undefined,
  addresses: AssetAddresses = {},
): string[] {
  return (page?.append ?? []).map((name) => {
    const [, base64] = /^data:application\/pdf;base64,([^]*)$/.exec(addresses[name] ?? "") ?? [];
    if (base64 === undefined) throw new AppendError(`the PDF "${name}" is no longer stored`);
    return base64;
  });
}

/** @throws {AppendError} If PDFs are too large together. */
export function checkSizes(files: readonly Pick<PinnedAsset, "size">[]): void {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= MAX_APPENDED_BYTES) return;
  throw new AppendError(`the appended PDFs have ${bytes} bytes, more than ${MAX_APPENDED_BYTES}`);
}

/**
 * Checks PDFs before a template with them is published.
 *
 * @throws {AppendError} If one is not stored, encrypted or damaged.
 */
export function checkAppended(
  files: readonly Pick<PinnedAsset, "name">[],
  addresses: AssetAddresses,
): void {
  for (const { name } of files) {
    const [base64 = ""] = appendedPdfs({ append: [name] }, addresses);
    try {
      readPdfPages(Buffer.from(base64, "base64"));
    } catch (error) {
      if (!(error instanceof PdfFault)) throw error;
      throw new AppendError(`the PDF "${name}" cannot be appended: ${error.message}`);
    }
  }
}
