import { z } from "zod";
import { aliasSchema } from "./alias.ts";

/** A variable of a template, as a program sees it. */
export const variableSummarySchema = z.strictObject({
  name: z.string(),
  /** Whether a request without it is refused, unless it has a default. */
  required: z.boolean(),
  /** Value where a request gives none; null if there is none. */
  default: z.unknown(),
  description: z.string().nullable(),
});

/** A published template, as a program sees it. */
export const templateSummarySchema = z.strictObject({
  id: z.int().positive(),
  alias: aliasSchema.nullable(),
  name: z.string(),
  /** The newest published version: requests are filled by it. */
  version: z.int().positive(),
  /** When that was published, ISO 8601. */
  publishedAt: z.iso.datetime(),
  /** BCP 47. */
  locale: z.string(),
  variables: z.array(variableSummarySchema),
});

/** A published template, as a program sees it. */
export type TemplateSummary = z.infer<typeof templateSummarySchema>;
