import { AggregationTemporality, MetricReader } from "@opentelemetry/sdk-metrics";
import { withoutStale } from "./_current.ts";
import { type TextFormat, writeMetrics } from "./_openmetrics.ts";

/** An answer to a reader of metrics. */
export interface MetricsPage {
  contentType: string;
  body: string;
}

const CONTENT_TYPES: Readonly<Record<TextFormat, string>> = {
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  text: "text/plain; version=0.0.4; charset=utf-8",
};

/** Collects metrics on request, for a server that belongs to another part. */
export class PrometheusReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }

  /** Returns all current metrics, in OpenMetrics if the `Accept` header names it. */
  async page(accept = ""): Promise<MetricsPage> {
    const format = accept.includes("application/openmetrics-text") ? "openmetrics" : "text";
    const { resourceMetrics } = await this.collect();
    return {
      contentType: CONTENT_TYPES[format],
      body: writeMetrics(withoutStale(resourceMetrics), format),
    };
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}
