import { AggregationTemporality, MetricReader } from "@opentelemetry/sdk-metrics";
import { withoutStale } from "./_current.ts";
import { type TextFormat, writeMetrics } from "./_openmetrics.ts";

/** An answer to anyone who reads metrics. */
export interface MetricsPage {
  contentType: string;
  body: string;
}

const CONTENT_TYPES: Readonly<Record<TextFormat, string>> = {
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  text: "text/plain; version=0.0.4; charset=utf-8",
};

/** Collects metrics when it is asked, for a server that is not its own. */
export class PrometheusReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }

  /** Returns all metrics as they are now, in OpenMetrics where the `Accept` header names it. */
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
