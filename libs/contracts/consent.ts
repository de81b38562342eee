import { z } from "zod";
import { sealedSecretSchema } from "./sealed_secret.ts";

/** Field that a sealed {@linkcode consentGrantSchema} is bound to. */
export const CONSENT_GRANT = "consent";

/** Schema of a redirect URI: where the provider sends the person with the code. */
const redirectUriSchema = z.url({ protocol: /^https?$/, error: "must be a URL" }).max(2_000);

/** What a person's consent brought (RFC 6749, section 4.1), with the verifier of PKCE (RFC 7636). */
export const consentGrantSchema = z.object({
  code: z.string().regex(/^[\x21-\x7e]{1,8000}$/, { error: "must be a code of the provider" }),
  codeVerifier: z.string().regex(/^[\w.~-]{43,128}$/, { error: "must be a verifier of PKCE" }),
  redirectUri: redirectUriSchema,
});

/** What a person's consent brought. */
export type ConsentGrant = z.infer<typeof consentGrantSchema>;

/** Reply to `consent.requested`. */
export const consentReplySchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    /** Sealed for the integration. */
    refreshToken: sealedSecretSchema,
    /** Revision of the integration that the code was exchanged for. */
    revision: z.int().positive(),
  }),
  z.object({
    ok: z.literal(false),
    /** A sentence for people. */
    reason: z.string(),
    /** A sentence about what to do. */
    remedy: z.string(),
  }),
]);

/** Reply to `consent.requested`. */
export type ConsentReply = z.infer<typeof consentReplySchema>;
