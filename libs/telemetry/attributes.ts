/**
 * Every attribute that a metric may carry: few values each, and nothing about a person. Names follow the
 * OpenTelemetry semantic conventions; `posthaste.*` are our own.
 */
export const METRIC_ATTRIBUTES = [
  "cpu.mode",
  "db.operation.name",
  "db.system.name",
  "error.type",
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "messaging.consumer.group.name",
  "messaging.destination.name",
  "messaging.operation.name",
  "messaging.operation.type",
  "messaging.system",
  // Bounded by the setting METRIC_INTEGRATIONS of the mailer.
  "posthaste.integration",
  "posthaste.priority",
  "posthaste.outcome",
  "posthaste.provider",
  "posthaste.reason",
  "posthaste.stage",
  "posthaste.state",
  "posthaste.stream",
  "posthaste.stream.kind",
  "smtp.response.status_class",
  "url.scheme",
  "v8js.gc.type",
  "v8js.heap.space.name",
] as const;

/** Name of an attribute that a metric may carry. */
export type MetricAttributeName = (typeof METRIC_ATTRIBUTES)[number];

/** Every attribute that a span may carry: those of metrics, and the ids of our own objects. */
export const ATTRIBUTES = [
  ...METRIC_ATTRIBUTES,
  "messaging.batch.message_count",
  "messaging.message.body.size",
  "messaging.message.id",
  "posthaste.account.id",
  "posthaste.attempt",
  "posthaste.attachment.count",
  "posthaste.integration.id",
  "posthaste.message.id",
  "posthaste.page.count",
  "posthaste.pdf.size",
  "posthaste.recipient.count",
  "posthaste.send.id",
  "posthaste.template.id",
  "posthaste.template.version",
  "server.address",
  "server.port",
  "smtp.response.status_code",
] as const;

/** Name of an attribute that a span may carry. */
export type AttributeName = (typeof ATTRIBUTES)[number];

/** Attributes of a span; those that are `undefined` are left out. */
export type SpanAttributes = {
  [Name in AttributeName]?: string | number | boolean | undefined;
};
