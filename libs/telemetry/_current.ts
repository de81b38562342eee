import type { Attributes } from "@opentelemetry/api";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";

/** The attributes that each observed metric last reported, by its name. */
const currentKeys = new Map<string, Set<string>>();

/** Notes the attributes that an observed metric reports from now on. */
export function noteObserved(metric: string, attributes: readonly Attributes[]): void {
  currentKeys.set(metric, new Set(attributes.map(keyOf)));
}

/**
 * Removes values that an observed metric no longer reports. The SDK (3.1) repeats the last value of each set
 * of attributes forever, and an old figure would look like a new one.
 */
export function withoutStale(metrics: ResourceMetrics): ResourceMetrics {
  const scopeMetrics = metrics.scopeMetrics.map((scope) => ({
    ...scope,
    metrics: scope.metrics.map((metric) => {
      const current = currentKeys.get(metric.descriptor.name);
      if (current === undefined) return metric;
      const points: { attributes: Attributes }[] = metric.dataPoints;
      const dataPoints = points.filter(({ attributes }) => current.has(keyOf(attributes)));
      return { ...metric, dataPoints } as typeof metric;
    }).filter(({ dataPoints }) => dataPoints.length > 0),
  }));
  return { ...metrics, scopeMetrics };
}

function keyOf(attributes: Attributes): string {
  return JSON.stringify(
    Object.entries(attributes).toSorted(([one], [other]) => one < other ? -1 : 1),
  );
}
