import { z } from "zod";
import { aliasSchema } from "./alias.ts";

/** Schema of a template's variable for programs. */
const variableSummarySchema = z.strictObject({
  name: z.string(),
  /** Whether a request without it is refused, unless it has a default. */
  required: z.boolean(),
  /** The value if a request has none; null if there is no default. */
  default: z.unknown(),
  description: z.string().nullable(),
});

/** Schema of a published template for programs. */
export const templateSummarySchema = z.strictObject({
  id: z.int().positive(),
  alias: aliasSchema.nullable(),
  name: z.string(),
  /** The newest published version, which requests use. */
  version: z.int().positive(),
  /** When that was published, ISO 8601. */
  publishedAt: z.iso.datetime(),
  /** BCP 47 tag of its own body. */
  locale: z.string(),
  /** BCP 47 tags of its language variants. */
  variants: z.array(z.string()),
  variables: z.array(variableSummarySchema),
});

/** A published template for programs. */
export type TemplateSummary = z.infer<typeof templateSummarySchema>;
