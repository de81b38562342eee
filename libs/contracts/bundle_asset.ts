import { z } from "zod";
import { altTextSchema, MAX_ASSETS } from "./asset.ts";
import {
  assetNameSchema,
  base64Schema,
  contentTypeSchema,
  filenameSchema,
  MAX_FILE_BYTES,
} from "./mail_file.ts";

const sha256Schema = z.string().regex(/^[a-f\d]{64}$/, { error: "must be a SHA-256 in hex" });

/** Schema of a file of a bundle, without its bytes, in the answer to an export. */
export const bundleAssetSchema = z.object({
  /** Of its bytes, in hex. */
  sha256: z.string(),
  /** In bytes. */
  size: z.int(),
  contentType: z.string(),
  filename: z.string(),
  alt: z.string(),
});

/** A file of a bundle, without its bytes. */
export type BundleAsset = z.infer<typeof bundleAssetSchema>;

/** Schema of a file of a push, without its bytes. What is left out stays as it is, or gets its default. */
const wantedAssetSchema = z.strictObject({
  sha256: sha256Schema,
  size: z.int().positive().max(MAX_FILE_BYTES),
  contentType: contentTypeSchema,
  filename: filenameSchema.optional(),
  alt: altTextSchema.optional(),
});

/** A file of a push, without its bytes. */
export type WantedAsset = z.infer<typeof wantedAssetSchema>;

/** Schema of the files of a push, by name. */
export const wantedAssetsSchema = z.record(assetNameSchema, wantedAssetSchema).refine(
  (assets) => Object.keys(assets).length <= MAX_ASSETS,
  { error: `must not have more than ${MAX_ASSETS} files` },
);

/** Schema of the bytes of files as base64, by their SHA-256. */
export const bundleContentsSchema = z.record(sha256Schema, base64Schema);

/** Schema of the change of one file. */
export const bundleAssetChangeSchema = z.object({
  name: z.string(),
  change: z.enum(["create", "update"]),
  /** What differs. */
  parts: z.array(z.enum(["content", "filename", "alt"])),
  /** Whether the account has no file with these bytes, so that `contents` must have them. */
  needsContent: z.boolean(),
});

/** The change of one file. */
export type BundleAssetChange = z.infer<typeof bundleAssetChangeSchema>;
