import { withoutStale } from "./_current.ts";
import type { IMetricReader, PushMetricExporter } from "@opentelemetry/sdk-metrics";

type Env = Record<string, string | undefined>;

const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 30_000;

/**
 * Opens the exporter of metrics to a collector, by `OTEL_EXPORTER_OTLP_PROTOCOL` (`grpc`, `http/protobuf`,
 * `http/json`) and `OTEL_METRIC_EXPORT_INTERVAL`. The exporter reads its endpoint and headers itself.
 */
export async function openOtlpMetrics(env: Env): Promise<IMetricReader> {
  const { PeriodicExportingMetricReader } = await import("@opentelemetry/sdk-metrics");
  const exportIntervalMillis = milliseconds(env["OTEL_METRIC_EXPORT_INTERVAL"]) ?? INTERVAL_MS;
  const timeout = milliseconds(env["OTEL_METRIC_EXPORT_TIMEOUT"]) ?? TIMEOUT_MS;
  return new PeriodicExportingMetricReader({
    exporter: withCurrentOnly(await openExporter(env)),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
  });
}

function withCurrentOnly(exporter: PushMetricExporter): PushMetricExporter {
  const send = exporter.export.bind(exporter);
  exporter.export = (metrics, done) => send(withoutStale(metrics), done);
  return exporter;
}

async function openExporter(env: Env): Promise<PushMetricExporter> {
  const protocol = env["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"] ?? env["OTEL_EXPORTER_OTLP_PROTOCOL"];
  switch (protocol?.trim()) {
    case "grpc":
      return new (await import("@opentelemetry/exporter-metrics-otlp-grpc")).OTLPMetricExporter();
    case "http/json":
      return new (await import("@opentelemetry/exporter-metrics-otlp-http")).OTLPMetricExporter();
    default:
      return new (await import("@opentelemetry/exporter-metrics-otlp-proto")).OTLPMetricExporter();
  }
}

function milliseconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && value > 0 ? value : undefined;
}
