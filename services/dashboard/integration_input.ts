import { X509Certificate } from "node:crypto";
import { integrationSchema, MAX_FALLBACKS, normalizeAddress } from "@posthaste/contracts";
import { z } from "zod";
import { oauthInputSchema } from "./oauth_input.ts";

const { shape } = integrationSchema;

/** Certificates are checked on input, not when the first mail is sent. */
const caSchema = shape.ca.unwrap().refine((ca) => ca === null || isCertificate(ca), {
  error: "contains no readable certificate",
});

const connectionShape = {
  host: z.string().trim().pipe(shape.host),
  port: shape.port,
  tls: shape.tls,
  ca: caSchema,
  allowInvalidCertificate: z.boolean(),
  // They separate the fields of a login: NUL in PLAIN, control-A in XOAUTH2.
  user: z.string().min(1, { error: "must not be empty" }).max(320)
    .refine((user) => !/\p{Cc}/u.test(user), { error: "must not contain control characters" })
    .nullable(),
  authMethod: z.enum(["PLAIN", "LOGIN"]).nullable(),
  password: z.string().min(1, { error: "must not be empty" }).max(2_000).optional(),
  /** Null for a login by password. Missing from callers that do not know it: the stored one stays. */
  oauth: oauthInputSchema.nullable().optional(),
};

const senderSchema = z.string().trim().pipe(integrationSchema.shape.senders.element);

/** Body of `POST /api/integrations`. */
export const integrationInputSchema = z.strictObject({
  ...connectionShape,
  name: z.string().trim().min(1, { error: "must not be empty" }).max(200),
  senders: z.array(senderSchema).min(1, { error: "must have at least one address" }).max(500)
    .refine(
      (senders) => new Set(senders.map(normalizeAddress)).size === senders.length,
      { error: "must not contain an address twice" },
    ),
  maxConnections: z.int().min(1).max(100),
  maxPerMinute: z.int().min(1).max(1_000_000).nullable(),
  retryForMs: z.int().min(3_600_000).max(432_000_000),
  whenUnknown: z.enum(["retry", "hold"]),
  /** Missing from callers that do not know it: the stored ones stay. */
  fallbacks: z.array(z.int().positive())
    .max(MAX_FALLBACKS, { error: `must have at most ${MAX_FALLBACKS} integrations` })
    .refine((ids) => new Set(ids).size === ids.length, {
      error: "must not contain an integration twice",
    }).optional(),
});

/** What people set about an integration. */
export type IntegrationInputData = z.infer<typeof integrationInputSchema>;

/** Body of `PUT /api/integrations/:id`. */
export const integrationChangeSchema = integrationInputSchema.extend({
  revision: z.int().positive(),
});

/** Body of `POST /api/integrations/probe`. */
export const probeInputSchema = z.strictObject({
  id: z.int().positive().optional(),
  /** Of them, only those of the connection matter. */
  settings: integrationInputSchema.partial({
    ...{ name: true, senders: true, maxConnections: true, maxPerMinute: true },
    ...{ retryForMs: true, whenUnknown: true },
  }),
  sender: senderSchema.optional(),
});

/** What is needed to test a server. */
export type ProbeInputData = z.infer<typeof probeInputSchema>;

/** Body of `POST /api/integrations/:id/dkim`. */
export const dkimInputSchema = z.strictObject({
  domain: z.string().trim().toLowerCase().pipe(
    z.string().max(200).regex(
      /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/,
      { error: "must be a domain such as example.com" },
    ),
  ),
  selector: z.string().trim().toLowerCase().pipe(
    z.string().regex(
      /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/,
      { error: "must be letters, digits and dashes" },
    ),
  ),
});

/** Body of `PUT /api/integrations/:id/dkim`. */
export const dkimSwitchSchema = z.strictObject({ enabled: z.boolean() });

/** Body of `POST /api/integrations/:id/pause`. */
export const pauseSchema = z.strictObject({ reason: z.string().trim().max(200).default("") });

/** Id of an integration, as in an address. */
export const integrationIdSchema = z.object({ id: z.coerce.number().int().min(1).max(2 ** 31) });

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) !== undefined;
  } catch {
    return false;
  }
}
