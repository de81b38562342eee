import { z } from "zod";

/**
 * Schema of the code of a warning about a message that was sent. `missing_glyphs`: a PDF shows empty boxes instead
 * of characters.
 */
export const messageWarningSchema = z.enum(["missing_glyphs"]);

/** Code of a warning about a message that was sent. */
export type MessageWarning = z.infer<typeof messageWarningSchema>;
