import { context, diag, DiagLogLevel, metrics, propagation, trace } from "@opentelemetry/api";
import type { Logger } from "./logger.ts";

/** Telemetry of a process, until it is disposed. */
export interface Telemetry extends AsyncDisposable {
  /** Whether spans leave the process. */
  readonly exportsTraces: boolean;
  /** Whether metrics leave the process. */
  readonly exportsMetrics: boolean;
}

/** Settings of {@linkcode startTelemetry}. */
export interface TelemetryOptions {
  /** Name of the service, unless `OTEL_SERVICE_NAME` gives another. */
  service: string;
  /** Version of the service. */
  version?: string;
  /**
   * Decides whether to export: `OTEL_EXPORTER_OTLP_ENDPOINT`, or the same for traces or metrics.
   * The SDK reads its other `OTEL_*` settings (protocol, headers, sampler) from the process itself.
   */
  env: Record<string, string | undefined>;
  /** Gets the complaints of the SDK, such as a collector that does not answer. */
  logger?: Pick<Logger, "warn">;
}

const FLUSH_TIMEOUT = 3000;

/**
 * Starts telemetry: open it first, so that it is disposed last and sends all it has, for at most 3 s.
 *
 * Without an endpoint nothing leaves the process and the exporters are not even loaded, but spans
 * still have ids and traces still travel (W3C Trace Context).
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { env } = options;
  const enabled = env["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true";
  const everything = enabled && isSet(env["OTEL_EXPORTER_OTLP_ENDPOINT"]);
  const exportsTraces = enabled && env["OTEL_TRACES_EXPORTER"] !== "none" &&
    (everything || isSet(env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]));
  const exportsMetrics = enabled && env["OTEL_METRICS_EXPORTER"] !== "none" &&
    (everything || isSet(env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"]));
  const shutdown = exportsTraces || exportsMetrics
    ? await startExporting(options, { exportsTraces, exportsMetrics })
    : await startPropagating();
  return {
    exportsTraces,
    exportsMetrics,
    [Symbol.asyncDispose]: async () => {
      await settle(shutdown(), options.logger);
      trace.disable();
      metrics.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

async function startPropagating(): Promise<() => Promise<void>> {
  const [{ AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, { TracerProvider }] =
    await Promise.all([
      import("@opentelemetry/context-async-hooks"),
      import("@opentelemetry/core"),
      import("@opentelemetry/sdk-trace"),
    ]);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider = new TracerProvider();
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
}

async function startExporting(
  options: TelemetryOptions,
  what: { exportsTraces: boolean; exportsMetrics: boolean },
): Promise<() => Promise<void>> {
  const { service, version, env, logger } = options;
  const [sdkNode, sdkTrace, core, resources] = await Promise.all([
    import("@opentelemetry/sdk-node"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/core"),
    import("@opentelemetry/resources"),
  ]);
  if (logger !== undefined) {
    diag.setLogger(diagLogger(logger), { logLevel: DiagLogLevel.WARN });
  }
  const sdk = new sdkNode.NodeSDK({
    resource: resources.defaultResource().merge(
      resources.resourceFromAttributes(
        version === undefined ? {} : { "service.version": version },
      ),
    ),
    // The process detector is left out: it tells the command line and the user.
    resourceDetectors: [
      resources.serviceInstanceIdDetector,
      resources.hostDetector,
      resources.envDetector,
    ],
    serviceName: isSet(env["OTEL_SERVICE_NAME"]) ? env["OTEL_SERVICE_NAME"] : service,
    textMapPropagator: new core.W3CTraceContextPropagator(),
    logRecordProcessors: [],
    ...(what.exportsTraces ? {} : { spanProcessors: [new sdkTrace.NoopSpanProcessor()] }),
    ...(what.exportsMetrics ? {} : { metricReaders: [] }),
  });
  sdk.start();
  return () => sdk.shutdown();
}

/** A collector that is down must not keep a process from ending. */
async function settle(shutdown: Promise<void>, logger: Pick<Logger, "warn"> | undefined) {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, FLUSH_TIMEOUT, `it took longer than ${FLUSH_TIMEOUT} ms`);
  try {
    const reason = await Promise.race([shutdown, late]);
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
