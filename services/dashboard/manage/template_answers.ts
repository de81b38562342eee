import {
  draftSourceSchema,
  foundVariableSchema,
  TEMPLATE_KINDS,
  templateFaultSchema,
} from "@posthaste/contracts";
import { z } from "zod";
import type { AssetDetail, AssetList, AssetView } from "../interface/assets.ts";
import type {
  PartialPublished,
  PartialRow,
  PartialView,
  TouchedTemplate,
} from "../interface/partials.ts";
import type {
  ExampleRow,
  HelperRow,
  PreviewView,
  TemplatePublished,
  TemplateRow,
  TemplateView,
  VersionRow,
  VersionView,
} from "../interface/templates.ts";

const KIND = z.enum(TEMPLATE_KINDS);
const AT = z.iso.datetime();

/** Schema of a template in a list. */
export const templateRowSchema = z.strictObject({
  id: z.int(),
  alias: z.string().nullable(),
  name: z.string(),
  publishedVersion: z.int().nullable(),
  hasChanges: z.boolean().describe("Whether the draft differs from the published version"),
  updatedAt: AT,
  updatedBy: z.string().nullable(),
  lastUsedAt: AT.nullable(),
  languages: z.array(z.string()).describe(
    "Languages of the published version, that of its own body first",
  ),
  missingLanguages: z.array(z.string()).describe(
    "Languages of the account's other templates that no language of this template covers",
  ),
}) satisfies z.ZodType<TemplateRow>;

/** Schema of a template with its draft. */
export const templateViewSchema = templateRowSchema.extend({
  kind: KIND,
  draft: draftSourceSchema,
  revision: z.int().describe("Grows with every change of the draft"),
  example: z.strictObject({
    integrationId: z.int().nullable(),
    sender: z.string().nullable(),
    mailedWith: z.int().nullable(),
  }),
}) satisfies z.ZodType<TemplateView>;

/** Schema of a template that was published. */
export const templatePublishedSchema = templateViewSchema.extend({
  warnings: z.array(z.string()).describe("What could not be checked"),
}) satisfies z.ZodType<TemplatePublished>;

/** Schema of an example that a new template can start from. */
export const exampleRowSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  about: z.string(),
}) satisfies z.ZodType<ExampleRow>;

/** Schema of a helper of templates. */
export const helperRowSchema = z.strictObject({
  name: z.string(),
  kind: z.enum(["block", "inline"]),
  signature: z.string(),
  summary: z.string(),
  example: z.string(),
}) satisfies z.ZodType<HelperRow>;

/** Schema of a version in a list. */
export const versionRowSchema = z.strictObject({
  version: z.int(),
  name: z.string(),
  publishedAt: AT,
  publishedBy: z.string().nullable(),
  isCurrent: z.boolean(),
  isTest: z.boolean(),
}) satisfies z.ZodType<VersionRow>;

/** Schema of a version. */
export const versionViewSchema = versionRowSchema.extend({
  source: draftSourceSchema,
}) satisfies z.ZodType<VersionView>;

/** Schema of a preview. */
export const previewViewSchema = z.strictObject({
  variant: z.string().nullable().describe("The language variant that is shown"),
  output: z.strictObject({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    textGenerated: z.boolean(),
    size: z.int(),
  }).nullable(),
  pdf: z.union([
    z.strictObject({
      key: z.string(),
      size: z.int(),
      blocked: z.array(z.string()),
      missingGlyphs: z.array(z.string()).exactOptional(),
      brokenFonts: z.array(z.string()).exactOptional(),
    }),
    z.strictObject({ failed: z.string() }),
  ]).nullable(),
  variables: z.array(foundVariableSchema),
  missing: z.array(z.string()),
  findings: z.array(z.strictObject({
    severity: z.enum(["error", "warning", "info"]),
    part: z.enum(["subject", "html", "text", "invoice"]),
    line: z.int().nullable(),
    column: z.int().nullable(),
    partial: z.string().optional(),
    rule: z.string(),
    message: z.string(),
    remedy: z.string().exactOptional(),
  })),
  errors: z.array(templateFaultSchema),
  tookMs: z.number(),
}) satisfies z.ZodType<PreviewView>;

/** Schema of an accepted test mail. */
export const testSentSchema = z.strictObject({ sendId: z.string(), messageId: z.string() });

/** Schema of a partial, or the brand, in a list. */
export const partialRowSchema = z.strictObject({
  name: z.string(),
  revision: z.int(),
  publishedVersion: z.int().nullable(),
  hasChanges: z.boolean(),
  updatedAt: AT,
}) satisfies z.ZodType<PartialRow>;

/** Schema of a partial, or the brand, with its draft. */
export const partialViewSchema = partialRowSchema.extend({
  source: z.string(),
  publishedSource: z.string().nullable(),
}) satisfies z.ZodType<PartialView>;

/** Schema of a template that has a partial. */
export const touchedTemplateSchema = z.strictObject({
  kind: KIND,
  id: z.int(),
  name: z.string(),
  version: z.int().nullable(),
  hasDraft: z.boolean(),
}) satisfies z.ZodType<TouchedTemplate>;

/** Schema of a published partial. */
export const partialPublishedSchema = z.strictObject({
  version: z.int(),
  templates: z.array(touchedTemplateSchema),
  warnings: z.array(z.string()).describe("What could not be checked"),
}) satisfies z.ZodType<PartialPublished>;

/** Schema of a file that the account keeps. */
export const assetViewSchema = z.strictObject({
  name: z.string(),
  filename: z.string(),
  contentType: z.string(),
  size: z.int().describe("In bytes"),
  sha256: z.string(),
  alt: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  updatedAt: AT,
}) satisfies z.ZodType<AssetView>;

/** Schema of all files that the account keeps. */
export const assetListSchema = z.strictObject({
  assets: z.array(assetViewSchema),
  bytes: z.int(),
  maxBytes: z.int(),
}) satisfies z.ZodType<AssetList>;

/** Schema of a file, and of the templates that use it. */
export const assetDetailSchema = assetViewSchema.extend({
  usedBy: z.array(z.strictObject({ kind: KIND, id: z.int(), name: z.string() })),
}) satisfies z.ZodType<AssetDetail>;
