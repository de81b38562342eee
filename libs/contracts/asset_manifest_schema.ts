import { z } from "zod";
import { altTextSchema } from "./asset.ts";
import { assetNameSchema, contentTypeSchema, filenameSchema } from "./mail_file.ts";

const entrySchema = z.strictObject({
  /** The name that templates use. @default the file name without its ending */
  name: assetNameSchema.optional(),
  alt: altTextSchema.optional(),
  /** The name that recipients see if it is attached. */
  filename: filenameSchema.optional(),
  /** @default by the ending of the file name */
  contentType: contentTypeSchema.optional(),
});

/** Contents of `assets.json`: what the files below `assets/` are, by their file names. */
export const assetManifestSchema = z.record(z.string(), entrySchema);

/** What a folder says of its assets, by file name. */
export type AssetManifest = z.infer<typeof assetManifestSchema>;
