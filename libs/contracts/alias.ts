import { z } from "zod";

/** An alias: lowercase letters, digits and dashes, beginning with a letter. */
export const aliasSchema = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, {
  error: "must be lowercase letters, digits and dashes, and start with a letter",
});
