import { z } from "zod";

/** Schema of what the templates of an account may include. */
export const includesSchema = z.object({
  /** Sources of partials by name. */
  partials: z.record(z.string(), z.string()),
  /** Values by name. */
  brand: z.record(z.string(), z.string()).optional(),
});

/** What the templates of an account may include. */
export type Includes = z.infer<typeof includesSchema>;
