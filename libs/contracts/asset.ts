import { z } from "zod";
import { assetNameSchema, filenameSchema, type MailFile, mailFileSchema } from "./mail_file.ts";
import { withoutControls } from "./mailbox.ts";
import type { PageOptions } from "./page_options.ts";

/** The most files that an account keeps. */
export const MAX_ASSETS = 1000;

/** The most bytes of the images of one email template, and of one PDF template, which prints 4 MB of HTML. */
export const MAX_IMAGE_BYTES = { email: 10_000_000, pdf: 2_500_000 } as const;

/** The longest description of an image, in characters. */
const MAX_ALT_LENGTH = 500;

/** Schema of the description of an image, for readers who do not see it; empty for decoration. */
export const altTextSchema = withoutControls(
  z.string().max(MAX_ALT_LENGTH, { error: `must not exceed ${MAX_ALT_LENGTH} characters` }),
);

/** Query of `PUT /manage/v1/assets/{name}`. */
export const assetQuerySchema = z.strictObject({
  alt: altTextSchema.optional(),
  /** The name that recipients see if the file is attached. */
  filename: filenameSchema.optional(),
});

/** Body of `PATCH /manage/v1/assets/{name}`. */
export const assetChangeSchema = z.strictObject({
  alt: altTextSchema.optional(),
  filename: filenameSchema.optional(),
});

/** A file that a version uses, as it was when the version was published. */
export const pinnedAssetSchema = mailFileSchema.omit({ contentId: true }).extend({
  name: assetNameSchema,
  /** Where mails show it from; if it is missing, mails carry it. */
  url: z.string().optional(),
});

/** A file that a version uses, as it was when the version was published. */
export type PinnedAsset = z.infer<typeof pinnedAssetSchema>;

/** A place where a template uses a file, by its name. */
const assetUseSchema = z.object({
  name: z.string(),
  /** From 1. */
  line: z.int(),
  /** From 1. */
  column: z.int(),
  /** Name of the partial with the place; missing for the template itself. */
  partial: z.string().optional(),
  /** Whether it is a PDF that the page options append, and not an image. */
  appended: z.boolean().optional(),
});

/** A place where a template uses a file. */
export type AssetUse = z.infer<typeof assetUseSchema>;

/** Returns the stored files that page options append, as uses of a template. */
export function appendedUses(page: Pick<PageOptions, "append"> | undefined): AssetUse[] {
  return (page?.append ?? []).map((name) => ({ name, line: 1, column: 1, appended: true }));
}

/** A place where a template uses a file, and the file that has the name; null if there is none. */
export const usedAssetSchema = assetUseSchema.extend({ asset: pinnedAssetSchema.nullable() });

/** A place where a template uses a file, and the file. */
export type UsedAsset = z.infer<typeof usedAssetSchema>;

/** Returns the files of a version that each of its mails carries. */
export function carriedAssets(assets: readonly PinnedAsset[] = []): PinnedAsset[] {
  return assets.filter(({ url }) => url === undefined);
}

/**
 * Returns the files of a mail besides its PDFs: those of its request, and the images that its template shows. A file
 * of the request with the same content id replaces the image.
 */
export function filesWithImages(
  files: readonly MailFile[] = [],
  assets: readonly PinnedAsset[] | undefined,
): MailFile[] {
  const taken = new Set(files.map(({ contentId }) => contentId));
  const images = carriedAssets(assets).filter(({ name }) => !taken.has(name))
    .map(({ name, sha256, size, filename, contentType }) => ({
      ...{ sha256, size, filename, contentType, contentId: name },
    }));
  return [...files, ...images];
}
