/**
 * Observability: traces through every hop, metrics from one closed list, and logs that never contain personal
 * data. The only importer of the OpenTelemetry SDK.
 *
 * ```ts
 * await using _telemetry = await startTelemetry({ service: "renderer", env: process.env });
 * const logger = openLogger({ service: "renderer", level: "info" });
 *
 * await withContext(extractTrace(event.trace), () =>
 *   withSpan("renderer.render", { kind: "consumer", attributes: { "posthaste.priority": priority } }, async () => {
 *     const started = performance.now();
 *     await render(event);
 *     recordDuration("posthaste.render.duration", (performance.now() - started) / 1000);
 *     logger.info("Rendered", { messageId: event.message });
 *   }));
 * ```
 *
 * @module
 */
export { ATTRIBUTES, METRIC_ATTRIBUTES } from "./attributes.ts";
export type { AttributeName, MetricAttributeName, SpanAttributes } from "./attributes.ts";
export { ERROR_TYPES, errorType } from "./error_type.ts";
export type { ErrorType } from "./error_type.ts";
export { hideSecrets, rememberSecrets } from "./known_secrets.ts";
export { openLogger } from "./logger.ts";
export type { LogFields, Logger, LoggerOptions, LogLevel } from "./logger.ts";
export { maskText } from "./mask_text.ts";
export { METRICS } from "./metric_list.ts";
export type { AttributesOf, MetricDefinition, MetricName } from "./metric_list.ts";
export { count, observe, recordDuration, recordSize, setGauge } from "./metrics.ts";
export type { Observation } from "./metrics.ts";
export { prometheusLabel, prometheusName } from "./prometheus_name.ts";
export type { NamedMetric } from "./prometheus_name.ts";
export { redact } from "./redact.ts";
export { addSpanAttributes, withSpan } from "./span.ts";
export type { SpanKindName, SpanOptions } from "./span.ts";
export { startTelemetry } from "./start_telemetry.ts";
export type { MetricsPage, Telemetry, TelemetryOptions } from "./start_telemetry.ts";
export {
  currentTraceId,
  extractTrace,
  injectTrace,
  type TraceCarrier,
  withContext,
} from "./trace_context.ts";
