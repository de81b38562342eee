/** The parts of a metric that determine its name. */
export interface NamedMetric {
  /** The name in OpenTelemetry: `posthaste.queue.oldest_age`. */
  name: string;
  /** The unit in UCUM: `s`, `By`, `1`, or the counted things in braces. */
  unit: string;
  type: "counter" | "gauge" | "histogram";
}

const UNITS: Readonly<Record<string, string>> = { s: "seconds", By: "bytes", "1": "ratio" };

/**
 * Returns the name of a metric in Prometheus, by OpenTelemetry's rules ("Prometheus and OpenMetrics
 * Compatibility"): with its unit, and `_total` at the end of a counter. It is the same whether Prometheus
 * reads it from a service or a collector forwards it. The exporter from npm leaves the unit out.
 */
export function prometheusName({ name, unit, type }: NamedMetric): string {
  const base = prometheusLabel(name);
  const suffix = prometheusUnit(unit);
  const withUnit = suffix === undefined || base.endsWith(`_${suffix}`) ? base : `${base}_${suffix}`;
  return type === "counter" ? `${withUnit}_total` : withUnit;
}

/** Returns the unit's word in names; `undefined` if a metric counts things. */
export function prometheusUnit(unit: string): string | undefined {
  return UNITS[unit];
}

/** Returns the name of an attribute in Prometheus: `posthaste_stage`. */
export function prometheusLabel(attribute: string): string {
  return attribute.replaceAll(/[^a-zA-Z0-9_]+/g, "_");
}
