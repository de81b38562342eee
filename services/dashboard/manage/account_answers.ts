import { TOKEN_SCOPES, tokenLimitsSchema } from "@posthaste/contracts";
import { z } from "zod";
import type { AccountView, AuditPage, ForgottenView } from "../interface/people.ts";
import type { NewTokenView, TokenView } from "../interface/tokens.ts";

const AT = z.iso.datetime();

/** Schema of a token, without its text. */
export const tokenViewSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe("Its first characters"),
  scopes: z.array(z.enum(TOKEN_SCOPES)),
  limits: tokenLimitsSchema,
  createdAt: AT,
  createdBy: z.string().nullable(),
  lastUsedAt: AT.nullable(),
  expiresAt: AT.nullable(),
  revokedAt: AT.nullable(),
  state: z.enum(["active", "expired", "revoked"]),
}) satisfies z.ZodType<TokenView>;

/** Schema of a new token with its text. */
export const newTokenViewSchema = z.strictObject({
  token: tokenViewSchema,
  text: z.string().describe("Returned only once"),
  curl: z.string().nullable().describe("A sample request with it, for a shell"),
}) satisfies z.ZodType<NewTokenView>;

/** Schema of the account. */
export const accountViewSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  createdAt: AT,
  retention: z.strictObject({ contentDays: z.int() }),
  suppressRefused: z.boolean(),
  locale: z.string().nullable().describe("The language of mails whose request names none"),
}) satisfies z.ZodType<AccountView>;

/** Schema of a page of the audit log. */
export const auditPageSchema = z.strictObject({
  lines: z.array(z.strictObject({
    id: z.string(),
    at: AT,
    who: z.string().nullable(),
    action: z.string(),
    target: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  })),
  next: z.string().nullable(),
}) satisfies z.ZodType<AuditPage>;

/** Schema of what was removed about a recipient, and what is left. */
export const forgottenSchema = z.strictObject({
  removed: z.strictObject({
    messages: z.int(),
    canceled: z.int(),
    copies: z.int(),
    invitations: z.int(),
  }),
  left: z.strictObject({
    messages: z.array(z.string()),
    auditLines: z.int(),
    auditNext: z.string().nullable(),
    isCut: z.boolean(),
  }),
}) satisfies z.ZodType<ForgottenView>;
