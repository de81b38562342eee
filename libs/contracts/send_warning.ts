import { z } from "zod";

/** Warnings about an accepted send, as a sentence for each code. They prevent nothing. */
export const SEND_WARNINGS = {
  unsigned_unsubscribe:
    "Mail programs ignore List-Unsubscribe-Post without a DKIM signature over it (RFC 8058): turn on signing for the integration, or check that the server signs both headers",
  suppressed_recipients:
    "Recipients are on the suppression list: they get no mail, unless they are removed from it in time",
} as const;

/** Code of a warning. */
export type SendWarningCode = keyof typeof SEND_WARNINGS;

/** A warning in the answer to a send. */
export const sendWarningSchema = z.strictObject({
  code: z.enum(Object.keys(SEND_WARNINGS) as [SendWarningCode, ...SendWarningCode[]]),
  message: z.string(),
  /** The recipients that it is about, as positions in `to`; missing if it is about the send. */
  recipients: z.array(z.int().nonnegative()).optional(),
});

/** A warning in the answer to a send. */
export type SendWarning = z.infer<typeof sendWarningSchema>;
