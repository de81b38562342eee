import { createPrivateKey } from "node:crypto";
import {
  MAX_SERVICE_KEY_BITS,
  OAUTH_PROVIDERS,
  oauthClientIdSchema,
  oauthLoginViewSchema,
  tenantSchema,
} from "@posthaste/contracts";
import { z } from "zod";

/** Names in place of a tenant. A client that acts by itself belongs to one tenant. */
const SHARED_TENANTS = ["common", "organizations", "consumers"];

const secretSchema = z.string().trim().min(1, { error: "must not be empty" }).max(8_000)
  .regex(/^[\x21-\x7e]*$/, { error: "must be exactly what the provider shows" });

const MIN_RSA_BITS = 2048;

/** A key of the most bits has 3,300. */
const MAX_KEY_CHARACTERS = 4_000;

const [, personView, serviceAccountView] = oauthLoginViewSchema.options;

/** What a Google key file must contain; the rest is ignored, also the addresses in it. */
const keySchema = z.object({
  type: z.literal("service_account"),
  client_email: serviceAccountView.shape.clientEmail,
  private_key_id: serviceAccountView.shape.keyId,
  private_key: z.string().max(MAX_KEY_CHARACTERS).refine(isRsaKey),
});

/** The account and the key of a Google service account. */
export interface ServiceAccountKey {
  clientEmail: string;
  keyId: string;
  /** PKCS #8 PEM. */
  privateKey: string;
}

const keyFileSchema = z.string().max(20_000).transform((text, context): ServiceAccountKey => {
  const read = keySchema.safeParse(jsonOf(text));
  if (!read.success) {
    const message = "must be the JSON file of a service account's key, as Google creates it";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  }
  const { client_email: clientEmail, private_key_id: keyId, private_key: privateKey } = read.data;
  return { clientEmail, keyId, privateKey };
});

/** Fields that only answers need: whoever returns what they got may leave them in. */
const SHOWN_ONLY = {
  person: {
    hasClientSecret: ignored(personView.shape.hasClientSecret),
    hasRefreshToken: ignored(personView.shape.hasRefreshToken),
    consent: ignored(personView.shape.consent),
  },
  serviceAccount: {
    clientEmail: ignored(serviceAccountView.shape.clientEmail),
    keyId: ignored(serviceAccountView.shape.keyId),
  },
};

const tenantInputSchema = z.string().trim().pipe(tenantSchema);
const clientIdInputSchema = z.string().trim().pipe(oauthClientIdSchema);

/** Schema of a login by access tokens. Secrets that are missing stay as they are stored. */
export const oauthInputSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("oauthClientCredentials"),
    tenant: tenantInputSchema.refine(
      (tenant) => !SHARED_TENANTS.includes(tenant.toLowerCase()),
      { error: "must be your own tenant: its id, or one of its domains" },
    ),
    clientId: clientIdInputSchema,
    clientSecret: secretSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal("oauthRefreshToken"),
    provider: z.enum(OAUTH_PROVIDERS),
    /** Of Microsoft; null for Google. */
    tenant: tenantInputSchema.nullable(),
    clientId: clientIdInputSchema,
    /** Null for a client without a secret. */
    clientSecret: secretSchema.nullable().optional(),
    /** Only if it was issued elsewhere: a consent brings one. */
    refreshToken: secretSchema.optional(),
    ...SHOWN_ONLY.person,
  }).refine(({ provider, tenant }) => (provider === "microsoft") === (tenant !== null), {
    path: ["tenant"],
    error: "must be given for Microsoft, and null for Google",
  }),
  z.strictObject({
    kind: z.literal("googleServiceAccount"),
    /** The JSON file of a key. */
    keyFile: keyFileSchema.optional(),
    ...SHOWN_ONLY.serviceAccount,
  }),
]);

/** A login by access tokens, as people set it. */
export type OauthInput = z.infer<typeof oauthInputSchema>;

function ignored<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().describe("As answers have it; ignored");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRsaKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    const { modulusLength: bits = 0 } = asymmetricKeyDetails ?? {};
    return asymmetricKeyType === "rsa" && bits >= MIN_RSA_BITS && bits <= MAX_SERVICE_KEY_BITS;
  } catch {
    return false;
  }
}
