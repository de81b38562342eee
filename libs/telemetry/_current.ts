import type { Attributes } from "@opentelemetry/api";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";

/** What each observed metric was last told with, by its name. */
const told = new Map<string, Set<string>>();

/** Notes what an observed metric is told with from now on. */
export function noteObserved(metric: string, attributes: readonly Attributes[]): void {
  told.set(metric, new Set(attributes.map(keyOf)));
}

/**
 * Leaves out what an observed metric is not told with any more: the SDK (3.1) repeats the last value of
 * each set of attributes for ever, and an old figure would pass for a new one.
 */
export function withoutStale(metrics: ResourceMetrics): ResourceMetrics {
  const scopeMetrics = metrics.scopeMetrics.map((scope) => ({
    ...scope,
    metrics: scope.metrics.map((metric) => {
      const current = told.get(metric.descriptor.name);
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
