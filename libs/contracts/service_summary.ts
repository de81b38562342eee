import { z } from "zod";
import { TOKEN_SCOPES } from "./documents.ts";

/** Schema of the answer to `GET /v1`: the service, the token and its limits. */
export const serviceSummarySchema = z.strictObject({
  service: z.literal("posthaste"),
  version: z.string(),
  account: z.strictObject({ id: z.string(), name: z.string() }),
  token: z.strictObject({
    name: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    /** ISO 8601; null for a token that does not expire. */
    expiresAt: z.iso.datetime().nullable(),
  }),
  limits: z.strictObject({
    /** Of one send. */
    recipients: z.int().positive(),
    /** Of one recipient. */
    attachments: z.int().nonnegative(),
    /** Of one request. */
    bodyBytes: z.int().positive(),
  }),
  links: z.strictObject({
    openapi: z.string(),
    /** Base of management by token; missing if the operator has not set it. */
    manage: z.string().optional(),
  }),
});

/** The answer to `GET /v1`. */
export type ServiceSummary = z.infer<typeof serviceSummarySchema>;
