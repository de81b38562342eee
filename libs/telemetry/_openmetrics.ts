import type { Attributes } from "@opentelemetry/api";
import {
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import { type Exemplar, exemplarOf } from "./_exemplars.ts";
import { prometheusLabel, prometheusName, prometheusUnit } from "./prometheus_name.ts";

/** The text formats: OpenMetrics 1.0 supports exemplars; everything else reads the older one. */
export type TextFormat = "openmetrics" | "text";

/** Writes metrics in a format that Prometheus reads. */
export function writeMetrics(read: ResourceMetrics, format: TextFormat): string {
  const lines = aboutTarget(read.resource.attributes, format);
  for (const { metrics } of read.scopeMetrics) {
    for (const metric of metrics) lines.push(...family(metric, format));
  }
  if (format === "openmetrics") lines.push("# EOF");
  return `${lines.join("\n")}\n`;
}

function aboutTarget(attributes: Attributes, format: TextFormat): string[] {
  const [name, type] = format === "openmetrics" ? ["target", "info"] : ["target_info", "gauge"];
  return [
    `# HELP ${name} Information about the process`,
    `# TYPE ${name} ${type}`,
    `target_info${labels(attributes)} 1`,
  ];
}

function family(metric: MetricData, format: TextFormat): string[] {
  const type = typeOf(metric);
  const { descriptor: { unit, description } } = metric;
  const name = prometheusName({ name: metric.descriptor.name, unit, type });
  // In OpenMetrics, the name of a counter excludes the suffix.
  const head = format === "openmetrics" ? name.replace(/_total$/, "") : name;
  const unitName = prometheusUnit(unit);
  return [
    `# HELP ${head} ${escaped(description)}`,
    ...(format === "openmetrics" && unitName !== undefined ? [`# UNIT ${head} ${unitName}`] : []),
    `# TYPE ${head} ${type}`,
    ...samples(metric, name, format),
  ];
}

function samples(metric: MetricData, name: string, format: TextFormat): string[] {
  switch (metric.dataPointType) {
    case DataPointType.HISTOGRAM:
      return metric.dataPoints.flatMap((point) =>
        histogram(point, { name, metric: metric.descriptor.name, format })
      );
    case DataPointType.SUM:
    case DataPointType.GAUGE:
      return metric.dataPoints.map(({ attributes, value }) =>
        `${name}${labels(attributes)} ${number(value)}`
      );
    default:
      return [];
  }
}

function histogram(
  { attributes, value }: DataPoint<Histogram>,
  { name, metric, format }: { name: string; metric: string; format: TextFormat },
): string[] {
  const { boundaries, counts } = value.buckets;
  let total = 0;
  const buckets = counts.map((count, position) => {
    total += count;
    const le = bound(boundaries[position]);
    const found = format === "openmetrics"
      ? exemplarOf(metric, { position, attributes })
      : undefined;
    return `${name}_bucket${labels({ ...attributes, le })} ${total}${exemplar(found)}`;
  });
  return [
    ...buckets,
    `${name}_count${labels(attributes)} ${value.count}`,
    `${name}_sum${labels(attributes)} ${number(value.sum ?? 0)}`,
  ];
}

function exemplar(found: Exemplar | undefined): string {
  if (found === undefined) return "";
  const { traceId, spanId, value, at } = found;
  return ` # {trace_id="${traceId}",span_id="${spanId}"} ${number(value)} ${at / 1000}`;
}

function typeOf(metric: MetricData): "counter" | "gauge" | "histogram" {
  if (metric.dataPointType === DataPointType.HISTOGRAM) return "histogram";
  return metric.dataPointType === DataPointType.SUM && metric.isMonotonic ? "counter" : "gauge";
}

function labels(attributes: Attributes): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [`${prometheusLabel(key)}="${escaped(String(value), '"')}"`]
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Writes a bound. Both formats write it alike, so that a series is the same in both. */
function bound(value: number | undefined): string {
  if (value === undefined || value === Infinity) return "+Inf";
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function number(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}

function escaped(text: string, quote = ""): string {
  const safe = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return quote === "" ? safe : safe.replaceAll(quote, `\\${quote}`);
}
