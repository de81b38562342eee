import {
  type MetricDefinition,
  METRICS,
  prometheusLabel,
  prometheusName,
} from "@posthaste/telemetry";

/** Labels that the reader of the metrics adds: where they were read. */
export const TARGET_LABELS: ReadonlySet<string> = new Set(["job", "instance"]);

/**
 * Returns every series of the services by its name in Prometheus, with its labels; and `up`, which Prometheus
 * itself adds.
 */
export function exportedMetrics(): Map<string, ReadonlySet<string>> {
  const all = new Map<string, ReadonlySet<string>>([["up", new Set()]]);
  for (const [name, definition] of Object.entries<MetricDefinition>(METRICS)) {
    const { kind, unit, attributes } = definition;
    const labels = attributes.map(prometheusLabel);
    const type = kind === "duration" || kind === "size"
      ? "histogram"
      : kind === "counter" || kind === "observedCounter"
      ? "counter"
      : "gauge";
    const written = prometheusName({ name, unit, type });
    if (type !== "histogram") {
      all.set(written, new Set(labels));
      continue;
    }
    all.set(`${written}_bucket`, new Set([...labels, "le"]));
    for (const part of ["count", "sum"]) all.set(`${written}_${part}`, new Set(labels));
  }
  return all;
}
