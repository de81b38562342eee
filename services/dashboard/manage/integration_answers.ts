import {
  FEED_EVENT_TYPES,
  INTEGRATION_STATES,
  integrationEventSchema,
  integrationSchema,
  oauthLoginViewSchema,
  WEBHOOK_DELIVERY_STATES,
  webhookSettingsSchema,
} from "@posthaste/contracts";
import { z } from "zod";
import type {
  DnsCheck,
  IntegrationSummary,
  IntegrationView,
  ProviderPreset,
} from "../interface/integrations.ts";
import type {
  NewWebhookView,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookReplayed,
  WebhookView,
} from "../interface/webhooks.ts";

const AT = z.iso.datetime();
const TLS = integrationSchema.shape.tls;
const WHERE = { name: z.string(), host: z.string(), port: z.int(), tls: TLS };

const healthShape = {
  state: z.enum(INTEGRATION_STATES),
  reason: z.string().nullable(),
  since: AT.nullable(),
  openUntil: AT.nullable(),
  waiting: z.int(),
  lastSent: z.strictObject({ messageId: z.string(), at: AT }).nullable(),
  lastFailed: z.strictObject({ messageId: z.string(), at: AT, reason: z.string() }).nullable(),
  attempts: z.int(),
  sent: z.int(),
};

/** Schema of an integration in a list. */
export const integrationRowSchema = z.strictObject({
  ...healthShape,
  id: z.int(),
  ...WHERE,
  user: z.string().nullable(),
  senders: z.array(z.string()),
  allowInvalidCertificate: z.boolean(),
  signsFor: z.string().nullable(),
}) satisfies z.ZodType<IntegrationSummary>;

/** Schema of an integration. */
export const integrationViewSchema = z.strictObject({
  ...healthShape,
  id: z.int(),
  revision: z.int(),
  settings: z.strictObject({
    ...WHERE,
    ca: z.string().nullable(),
    allowInvalidCertificate: z.boolean(),
    user: z.string().nullable(),
    authMethod: z.enum(["PLAIN", "LOGIN"]).nullable(),
    oauth: oauthLoginViewSchema.nullable(),
    senders: z.array(z.string()),
    maxConnections: z.int(),
    maxPerMinute: z.int().nullable(),
    retryForMs: z.int(),
    whenUnknown: z.enum(["retry", "hold"]),
    fallbacks: z.array(z.int()),
  }),
  hasPassword: z.boolean(),
  dkim: z.strictObject({
    domain: z.string(),
    selector: z.string(),
    enabled: z.boolean(),
    record: z.strictObject({
      type: z.literal("TXT"),
      name: z.string(),
      value: z.string(),
      quoted: z.string(),
    }),
  }).nullable(),
  history: z.array(z.strictObject({
    at: AT,
    type: integrationEventSchema.shape.type,
    reason: z.string(),
  })),
  createdAt: AT,
  updatedAt: AT,
}) satisfies z.ZodType<IntegrationView>;

/** Schema of the settings of a well-known provider. */
export const presetSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  servers: z.array(z.strictObject({ label: z.string(), host: z.string() })),
  port: z.int(),
  tls: TLS,
  user: z.string(),
  fixedUser: z.string().optional(),
  hint: z.string(),
  documentation: z.string(),
}) satisfies z.ZodType<ProviderPreset>;

/** Schema of the check of a DNS record. */
export const dnsCheckSchema = z.strictObject({
  outcome: z.enum(["published", "missing", "different", "unavailable"]),
  detail: z.string(),
  found: z.array(z.string()),
}) satisfies z.ZodType<DnsCheck>;

/** Schema of a webhook endpoint. */
export const webhookViewSchema = webhookSettingsSchema.extend({
  id: z.string(),
  state: z.enum(["ready", "failing", "down", "disabled"]),
  disabledReason: z.string().nullable(),
  disabledAt: AT.nullable(),
  behind: z.int(),
  lastSuccessAt: AT.nullable(),
  lastFailure: z.strictObject({ at: AT, status: z.int().nullable(), error: z.string() }).nullable(),
  retryAt: AT.nullable(),
  oldSecretUntil: AT.nullable(),
  createdAt: AT,
  updatedAt: AT,
}) satisfies z.ZodType<WebhookView>;

/** Schema of a webhook endpoint with its new secret. */
export const newWebhookSchema = z.strictObject({
  webhook: webhookViewSchema,
  secret: z.string().describe("Returned only once"),
}) satisfies z.ZodType<NewWebhookView>;

const deliverySchema = z.strictObject({
  eventId: z.string(),
  type: z.enum(FEED_EVENT_TYPES),
  state: z.enum(WEBHOOK_DELIVERY_STATES),
  tries: z.int(),
  nextAt: AT.nullable(),
  at: AT,
  attempts: z.array(z.strictObject({
    at: AT,
    status: z.int().nullable(),
    durationMs: z.number(),
    error: z.string().nullable(),
    answer: z.string(),
  })),
});

/** Schema of a page of deliveries. */
export const deliveryListSchema = z.strictObject({
  rows: z.array(deliverySchema),
  next: z.string().nullable(),
}) satisfies z.ZodType<WebhookDeliveryList>;

/** Schema of a delivery with its body. */
export const deliveryDetailSchema = deliverySchema.extend({
  body: z.string().nullable(),
}) satisfies z.ZodType<WebhookDeliveryDetail>;

/** Schema of the deliveries that are made again. */
export const replayedSchema = z.strictObject({
  queued: z.int(),
  next: z.string().nullable(),
}) satisfies z.ZodType<WebhookReplayed>;
