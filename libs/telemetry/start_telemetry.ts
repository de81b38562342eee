import { context, diag, DiagLogLevel, metrics, propagation, trace } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import { keepExemplars } from "./_exemplars.ts";
import { observeProcess } from "./_process_metrics.ts";
import type { MetricsPage, PrometheusReader } from "./_prometheus_reader.ts";
import { resourceOf } from "./_resource.ts";
import { openOtlpMetrics } from "./_metric_exporter.ts";
import { nonRecordingTracers } from "./_non_recording_tracer.ts";
import type { Logger } from "./logger.ts";

export type { MetricsPage };

/** Telemetry of a process, until it is disposed. */
export interface Telemetry extends AsyncDisposable {
  /** Whether spans are exported. */
  readonly exportsTraces: boolean;
  /** Whether metrics are exported. */
  readonly exportsMetrics: boolean;
  /**
   * Returns all metrics for Prometheus: in OpenMetrics if the `Accept` header names it, or else in the text
   * format. Missing unless `prometheus` was set.
   */
  readonly readMetrics?: (accept: string | undefined) => Promise<MetricsPage>;
}

/** Options of {@linkcode startTelemetry}. */
export interface TelemetryOptions {
  /** Name of the service, unless `OTEL_SERVICE_NAME` sets another. */
  service: string;
  /** Version of the service. */
  version?: string;
  /**
   * Decides whether to export: `OTEL_EXPORTER_OTLP_ENDPOINT`, or the same for traces or metrics. The SDK
   * reads its other `OTEL_*` settings (protocol, headers, sampler) from the process itself.
   */
  env: Record<string, string | undefined>;
  /**
   * Whether metrics can also be read. `OTEL_METRICS_EXPORTER=none` switches both off.
   * @default {false}
   */
  prometheus?: boolean;
  /** Receives the SDK's warnings, such as a collector that does not answer. */
  logger?: Pick<Logger, "warn">;
}

const FLUSH_TIMEOUT = 3000;

/**
 * Starts telemetry. Open it first, so that it is disposed last and sends all its data, for at most 3 s.
 *
 * Without an endpoint nothing is exported and the exporters are not even loaded, but spans still have ids and
 * traces still travel (W3C Trace Context).
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { env, logger } = options;
  const enabled = env["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true";
  const everything = enabled && isSet(env["OTEL_EXPORTER_OTLP_ENDPOINT"]);
  const exportsTraces = enabled && env["OTEL_TRACES_EXPORTER"] !== "none" &&
    (everything || isSet(env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]));
  const hasMetrics = enabled && env["OTEL_METRICS_EXPORTER"] !== "none";
  const exportsMetrics = hasMetrics &&
    (everything || isSet(env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"]));
  const isRead = hasMetrics && options.prometheus === true;
  if (logger !== undefined && (exportsTraces || exportsMetrics)) {
    diag.setLogger(diagLogger(logger), { logLevel: DiagLogLevel.WARN });
  }
  const resource = exportsTraces || exportsMetrics || isRead
    ? await resourceOf(options)
    : undefined;
  const endTraces = await (exportsTraces && resource ? exportTraces(resource) : propagateTraces());
  const metering = resource && (exportsMetrics || isRead)
    ? await meter(resource, { env, exportsMetrics, isRead })
    : undefined;
  // An exemplar links to its trace, so the trace must be exported.
  keepExemplars(isRead && exportsTraces);
  const { reader } = metering ?? {};
  return {
    exportsTraces,
    exportsMetrics,
    ...(reader === undefined ? {} : { readMetrics: (accept) => reader.page(accept) }),
    [Symbol.asyncDispose]: async () => {
      keepExemplars(false);
      await settle(Promise.all([endTraces?.(), metering?.end()]), logger);
      trace.disable();
      metrics.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

async function propagateTraces(): Promise<void> {
  const [{ AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }] = await Promise.all([
    import("@opentelemetry/context-async-hooks"),
    import("@opentelemetry/core"),
  ]);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(nonRecordingTracers());
}

async function exportTraces(resource: Resource): Promise<() => Promise<void>> {
  const [sdkNode, core] = await Promise.all([
    import("@opentelemetry/sdk-node"),
    import("@opentelemetry/core"),
  ]);
  const sdk = new sdkNode.NodeSDK({
    resource,
    autoDetectResources: false,
    textMapPropagator: new core.W3CTraceContextPropagator(),
    logRecordProcessors: [],
    metricReaders: [],
  });
  sdk.start();
  return () => sdk.shutdown();
}

interface Metering {
  reader: PrometheusReader | undefined;
  end(): Promise<void>;
}

async function meter(
  resource: Resource,
  what: { env: TelemetryOptions["env"]; exportsMetrics: boolean; isRead: boolean },
): Promise<Metering> {
  const [{ MeterProvider }, { PrometheusReader }] = await Promise.all([
    import("@opentelemetry/sdk-metrics"),
    import("./_prometheus_reader.ts"),
  ]);
  const reader = what.isRead ? new PrometheusReader() : undefined;
  const provider = new MeterProvider({
    resource,
    readers: [
      ...(what.exportsMetrics ? [await openOtlpMetrics(what.env)] : []),
      ...(reader === undefined ? [] : [reader]),
    ],
  });
  metrics.setGlobalMeterProvider(provider);
  const watch = observeProcess();
  return {
    reader,
    end: async () => {
      await provider.shutdown();
      watch[Symbol.dispose]();
    },
  };
}

/** Waits for the shutdown, but a collector that is down must not keep a process from ending. */
async function settle(shutdown: Promise<unknown>, logger: Pick<Logger, "warn"> | undefined) {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, FLUSH_TIMEOUT, `it took longer than ${FLUSH_TIMEOUT} ms`);
  try {
    const reason = await Promise.race([shutdown.then(() => undefined), late]);
    if (reason !== undefined) logger?.warn(`Cannot send the last telemetry: ${reason}`);
  } catch (error) {
    logger?.warn("Cannot send the last telemetry", { error });
  } finally {
    clearTimeout(timer);
  }
}

function diagLogger(logger: Pick<Logger, "warn">) {
  const warn = (message: string, ...details: unknown[]) =>
    logger.warn(`OpenTelemetry: ${message}`, details.length === 0 ? {} : { details });
  const ignore = () => {};
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}
