import { brandValuesSchema, MAX_PARTIAL_CHARACTERS, TEMPLATE_KINDS } from "@posthaste/contracts";
import { z } from "zod";

/** Body of a changed draft of a partial. `revision` is 0 for a new one. */
export const partialChangeSchema = z.strictObject({
  revision: z.int().nonnegative(),
  source: z.string().max(MAX_PARTIAL_CHARACTERS),
});

/** Body of a request for the preview of a source, saved or not. */
export const partialPreviewSchema = z.strictObject({
  source: partialChangeSchema.shape.source,
  /** Shows it in the published version of a template; alone if it is missing. */
  template: z.strictObject({ kind: z.enum(TEMPLATE_KINDS), id: z.int().positive() }).optional(),
});

/** A source to preview. */
export type PartialPreview = z.infer<typeof partialPreviewSchema>;

/** The source of a brand: JSON of names and texts. */
export const brandSchema = z.object({
  source: z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "must be JSON" });
      return z.NEVER;
    }
  }).pipe(brandValuesSchema),
});
