import { TEMPLATE_KINDS } from "@posthaste/contracts";
import { z } from "zod";

/** Body of a changed draft of a partial. `revision` is 0 for a new one. */
export const partialChangeSchema = z.strictObject({
  revision: z.int().nonnegative(),
  source: z.string().max(100_000),
});

/** Body of a request for the preview of a source, saved or not. */
export const partialPreviewSchema = z.strictObject({
  source: partialChangeSchema.shape.source,
  /** Shows it in the published version of a template; alone if it is missing. */
  template: z.strictObject({ kind: z.enum(TEMPLATE_KINDS), id: z.int().positive() }).optional(),
});

/** A source to preview. */
export type PartialPreview = z.infer<typeof partialPreviewSchema>;

const MAX_VALUES = 100;

// As NOT_IN_BRAND of the templates: it would end the text or the attribute around it.
const valueSchema = z.string().max(1_000).regex(/^[^"<>{}\\\r\n]*$/, {
  error: 'must not have ", <, >, {, }, \\ or line ends',
});

const valuesSchema = z.record(z.string().max(64).regex(/^[\w-]+$/), valueSchema)
  .refine((values) => Object.keys(values).length <= MAX_VALUES, {
    error: `must not have more than ${MAX_VALUES} values`,
  });

/** The source of a brand: JSON of names and texts. */
export const brandSchema = z.object({
  source: z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "must be JSON" });
      return z.NEVER;
    }
  }).pipe(valuesSchema),
});
