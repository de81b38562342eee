import { z } from "zod";

/** Warnings about an accepted send, as a sentence for each code. They prevent nothing. */
export const SEND_WARNINGS = {
  unsigned_unsubscribe:
    "Mail programs ignore List-Unsubscribe-Post without a DKIM signature over it (RFC 8058): turn on signing for the integration, or check that the server signs both headers",
} as const;

/** Code of a warning. */
export type SendWarningCode = keyof typeof SEND_WARNINGS;

/** A warning in the answer to a send. */
export const sendWarningSchema = z.strictObject({
  code: z.enum(Object.keys(SEND_WARNINGS) as [SendWarningCode, ...SendWarningCode[]]),
  message: z.string(),
});
