import { z } from "zod";
import { OAUTH_PROVIDERS } from "./oauth_provider.ts";
import { sealedSecretSchema } from "./sealed_secret.ts";

/** Schema of a Microsoft tenant: its id, one of its domains, or a name such as `common`. */
export const tenantSchema = z.string().max(253).regex(/^[a-zA-Z\d]+(?:[.-]+[a-zA-Z\d]+)*$/, {
  error: "must be the id of a tenant, or one of its domains",
});

/** Schema of the id of a client (an "application") at a provider. */
export const oauthClientIdSchema = z.string().max(200).regex(/^[\w.-]+$/, {
  error: "must be the client id that the provider shows",
});

/** The largest RSA key of a service account, in bits: signing takes time by the third power. Google makes 2048. */
export const MAX_SERVICE_KEY_BITS = 4096;

const clientEmailSchema = z.string().max(320).regex(/^[\w.+-]+@[\w.-]+$/, {
  error: "must be the address of a service account",
});

const keyIdSchema = z.string().regex(/^[\w-]{1,100}$/, { error: "must be the id of a key" });

const passwordShape = {
  kind: z.literal("password").default("password"),
  user: z.string(),
  password: sealedSecretSchema,
  /** The server's first by default. */
  method: z.enum(["PLAIN", "LOGIN"]).nullable(),
};

/** Of a Microsoft application that sends as a mailbox without a person (RFC 6749, section 4.4). */
const clientCredentialsShape = {
  kind: z.literal("oauthClientCredentials"),
  tenant: tenantSchema,
  clientId: oauthClientIdSchema,
};

/** Of a person who consented (RFC 6749, section 6). */
const refreshTokenShape = {
  kind: z.literal("oauthRefreshToken"),
  provider: z.enum(OAUTH_PROVIDERS),
  /** Null for Google. */
  tenant: tenantSchema.nullable(),
  clientId: oauthClientIdSchema,
};

/** Of a Google service account that acts for the user (RFC 7523). */
const serviceAccountShape = {
  kind: z.literal("googleServiceAccount"),
  clientEmail: clientEmailSchema,
  keyId: keyIdSchema,
};

/** Schema of the login of an integration. `user` is the mailbox or the user name; secrets are sealed. */
export const integrationLoginSchema = z.discriminatedUnion("kind", [
  z.object(passwordShape),
  z.object({ ...clientCredentialsShape, user: z.string(), clientSecret: sealedSecretSchema }),
  z.object({
    ...refreshTokenShape,
    user: z.string(),
    /** Null for a client without one. */
    clientSecret: sealedSecretSchema.nullable(),
    /** Null before the consent. The provider may replace it at any use. */
    refreshToken: sealedSecretSchema.nullable(),
    /** Who consented in the dashboard, by name; null for a refresh token that was issued elsewhere. */
    consent: z.object({ by: z.string(), at: z.date() }).nullable().default(null),
  }),
  z.object({
    ...serviceAccountShape,
    user: z.string(),
    /** RSA, as PKCS #8 PEM. */
    privateKey: sealedSecretSchema,
  }),
]);

/** The login of an integration. */
export type IntegrationLogin = z.infer<typeof integrationLoginSchema>;

/** The login of an integration, as it may be written: without a kind, it is by password. */
export type IntegrationLoginInput = z.input<typeof integrationLoginSchema>;

/** A login by access tokens. */
export type OauthLogin = Exclude<IntegrationLogin, { kind: "password" }>;

/** Returns whether a login is by access tokens. */
export function isOauthLogin(login: IntegrationLogin): login is OauthLogin {
  return login.kind !== "password";
}

/** Schema of a login by access tokens as it is shown: without secrets. */
export const oauthLoginViewSchema = z.discriminatedUnion("kind", [
  z.strictObject(clientCredentialsShape),
  z.strictObject({
    ...refreshTokenShape,
    hasClientSecret: z.boolean(),
    /** Whether a person has consented: without a refresh token, nothing is sent. */
    hasRefreshToken: z.boolean(),
    /** Who consented in the dashboard, and when; null for a refresh token that was issued elsewhere. */
    consent: z.strictObject({ by: z.string(), at: z.iso.datetime() }).nullable(),
  }),
  z.strictObject(serviceAccountShape),
]);

/** A login by access tokens as it is shown. */
export type OauthLoginView = z.infer<typeof oauthLoginViewSchema>;

/** Returns what may be shown of a login by access tokens; null for any other. */
export function oauthLoginViewOf(login: IntegrationLogin | null): OauthLoginView | null {
  if (login === null || !isOauthLogin(login)) return null;
  const { user: _, ...shown } = login;
  switch (shown.kind) {
    case "oauthClientCredentials": {
      const { kind, tenant, clientId } = shown;
      return { kind, tenant, clientId };
    }
    case "oauthRefreshToken": {
      const { kind, provider, tenant, clientId, clientSecret, refreshToken, consent } = shown;
      const has = {
        hasClientSecret: clientSecret !== null,
        hasRefreshToken: refreshToken !== null,
      };
      const given = consent && { by: consent.by, at: consent.at.toISOString() };
      return { kind, provider, tenant, clientId, ...has, consent: given };
    }
    case "googleServiceAccount": {
      const { kind, clientEmail, keyId } = shown;
      return { kind, clientEmail, keyId };
    }
  }
}
