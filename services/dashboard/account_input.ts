import { emailAddressSchema, localeSchema, MAX_CONTENT_DAYS } from "@posthaste/contracts";
import { z } from "zod";

/** Body of `PUT /api/account/suppression`. */
export const suppressionInputSchema = z.strictObject({ suppressRefused: z.boolean() });

/** Body of `PUT /api/account/language`. */
export const languageInputSchema = z.strictObject({ locale: localeSchema.nullable() });

/** Body of `PUT /api/account/retention`. */
export const retentionInputSchema = z.strictObject({
  contentDays: z.int({ error: "must be a whole number of days" })
    .min(0, { error: "must not be negative" })
    .max(MAX_CONTENT_DAYS, { error: `must not exceed ${MAX_CONTENT_DAYS}` }),
});

/** Body of `POST /api/recipients/forget`. */
export const forgetSchema = z.strictObject({
  email: emailAddressSchema,
  auditAfter: z.string().max(100).optional()
    .describe("The `left.auditNext` of the previous answer, to continue in the audit log"),
});

/** Query of `GET /api/audit`. */
export const auditQuerySchema = z.strictObject({
  before: z.string().max(100).optional().describe("The `next` of the previous page"),
});
