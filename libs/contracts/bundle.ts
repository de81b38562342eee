import { z } from "zod";
import { TEMPLATE_KINDS } from "./documents.ts";
import { MAX_PARTIALS } from "./partial.ts";
import { aliasSchema } from "./alias.ts";
import {
  bundleAssetChangeSchema,
  bundleAssetSchema,
  bundleContentsSchema,
  wantedAssetsSchema,
} from "./bundle_asset.ts";

/** The most templates of a bundle. */
export const MAX_BUNDLE_TEMPLATES = 500;

/** The most bytes of a bundle's files, with their paths, in UTF-8, and of the files that it brings, in base64. */
export const MAX_BUNDLE_BYTES = 20_000_000;

/** Largest body that contains a bundle, in bytes: as JSON, files are larger. */
export const MAX_BUNDLE_BODY_BYTES = 24_000_000;

/** More than each template with its languages usually has; each partial and the brand have one. */
const MAX_FILES = 30 * MAX_BUNDLE_TEMPLATES + MAX_PARTIALS + 1;

/** Selects the templates of a bundle; without both, all. */
const FILTER = {
  kind: z.enum(TEMPLATE_KINDS).optional(),
  alias: aliasSchema.optional(),
};

/** Query of `GET /manage/v1/bundle`. */
export const bundleQuerySchema = z.strictObject(FILTER);

/** Texts by path: `email/welcome/subject.hbs`. */
const filesSchema = z.record(z.string().max(200), z.string()).refine(
  (files) => Object.keys(files).length <= MAX_FILES,
  { error: `must not have more than ${MAX_FILES} files` },
);

/** Answer to `GET /manage/v1/bundle`. */
export const bundleSchema = z.object({
  files: z.record(z.string(), z.string()),
  /** Files that the account keeps, by name, without their bytes. Missing in answers of an older dashboard. */
  assets: z.record(z.string(), bundleAssetSchema).default({}),
});

/** Templates of an account as files. */
export type Bundle = z.infer<typeof bundleSchema>;

/** Body of `POST /manage/v1/bundle/plan`. */
export const bundleWishSchema = z.strictObject({
  files: filesSchema,
  /** Files that the account shall keep, by name; others stay. */
  assets: wantedAssetsSchema.default({}),
  /** Publishes all differences from the published versions. Otherwise only drafts change. */
  publish: z.boolean().default(false),
  /** Archives templates that the files lack. */
  prune: z.boolean().default(false),
  ...FILTER,
});

/** The changes that a bundle requests. */
export type BundleWish = z.infer<typeof bundleWishSchema>;

/** Body of `POST /manage/v1/bundle/apply`. */
export const bundleApplySchema = bundleWishSchema.extend({
  plan: z.string().max(100),
  /** The bytes that the account lacks, by their SHA-256. */
  contents: bundleContentsSchema.default({}),
  /** Replaces drafts that people have changed and not published. */
  overwriteDrafts: z.boolean().default(false),
});

/** Schema of the change of one template. */
const bundleChangeSchema = z.object({
  kind: z.enum(TEMPLATE_KINDS),
  alias: z.string(),
  change: z.enum(["create", "update", "archive"]),
  /** The version that is published now; null if there is none. */
  from: z.int().nullable(),
  /** Whether a version is published. */
  publish: z.boolean(),
  /** Names of the files that differ. */
  files: z.array(z.string()),
  /** Whether a draft is replaced that a person has changed and not published. */
  overwritesDraft: z.boolean(),
});

/** The change of one template. */
export type BundleChange = z.infer<typeof bundleChangeSchema>;

/** Schema of the change of one partial, or of the brand. */
const bundlePartialChangeSchema = z.object({
  /** `@brand` for the brand. */
  name: z.string(),
  change: z.enum(["create", "update"]),
  /** The version that is published now; null if there is none. */
  from: z.int().nullable(),
  /** Whether a version is published. */
  publish: z.boolean(),
  /** Whether a draft is replaced that a person has changed and not published. */
  overwritesDraft: z.boolean(),
});

/** The change of one partial, or of the brand. */
export type BundlePartialChange = z.infer<typeof bundlePartialChangeSchema>;

/** Schema of an error or a warning about a file of a bundle. */
const bundleFaultSchema = z.object({
  /** With slashes; empty for the whole bundle. */
  file: z.string(),
  /** From 1. */
  line: z.int().optional(),
  column: z.int().optional(),
  message: z.string(),
});

/** An error or a warning about a file of a bundle. */
export type BundleFault = z.infer<typeof bundleFaultSchema>;

/** Answer to `POST /manage/v1/bundle/plan`. */
export const bundlePlanSchema = z.object({
  /** Identifies files, options and the current templates: an equal plan means an equal result. */
  plan: z.string(),
  changes: z.array(bundleChangeSchema),
  /** Missing in answers of an older dashboard. */
  partials: z.array(bundlePartialChangeSchema).default([]),
  /** Missing in answers of an older dashboard. */
  assets: z.array(bundleAssetChangeSchema).default([]),
  /** If there are any, nothing can be applied. */
  faults: z.array(bundleFaultSchema),
  warnings: z.array(bundleFaultSchema),
});

/** The planned changes. */
export type BundlePlan = z.infer<typeof bundlePlanSchema>;

/** Answer to `POST /manage/v1/bundle/apply`. */
export const bundleAppliedSchema = z.object({
  changes: z.array(bundleChangeSchema.extend({
    id: z.int(),
    /** The version that was published; null if none was. */
    version: z.int().nullable(),
  })),
  /** Missing in answers of an older dashboard. */
  partials: z.array(bundlePartialChangeSchema).default([]),
  /** Missing in answers of an older dashboard. */
  assets: z.array(bundleAssetChangeSchema).default([]),
  warnings: z.array(bundleFaultSchema),
});

/** The applied changes. */
export type BundleApplied = z.infer<typeof bundleAppliedSchema>;
