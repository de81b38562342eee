import { type Attributes, isSpanContextValid, trace, TraceFlags } from "@opentelemetry/api";
import { type MetricName, METRICS } from "./metric_list.ts";

/** One measurement, and the span in which it was made. */
export interface Exemplar {
  traceId: string;
  spanId: string;
  value: number;
  /** In milliseconds since 1970. */
  at: number;
}

/** The shortest time between two exemplars of a bucket: most measurements then cost almost nothing. */
const EVERY_MS = 1000;

/** One bucket of a metric: the time of its last exemplar, and the last exemplar of each set of attributes. */
interface Bucket {
  notedAt: number;
  last: Map<string, Exemplar>;
}

const buckets = new Map<string, Bucket[]>();
let isOn = false;

/**
 * Starts or stops collecting exemplars. The OpenTelemetry SDK for JavaScript does not support them (3.1), so
 * they are kept here, for the text that Prometheus reads.
 */
export function keepExemplars(on: boolean): void {
  isOn = on;
  buckets.clear();
}

/** Notes a measurement of a histogram if it was made inside of a sampled span. */
export function noteExemplar(
  metric: MetricName,
  { value, attributes }: { value: number; attributes: Attributes },
): void {
  if (!isOn) return;
  const bucket = bucketOf(metric, value);
  const now = Date.now();
  if (now - bucket.notedAt < EVERY_MS) return;
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined || !isSpanContextValid(span)) return;
  if ((span.traceFlags & TraceFlags.SAMPLED) === 0) return;
  bucket.notedAt = now;
  const { traceId, spanId } = span;
  bucket.last.set(keyOf(attributes), { traceId, spanId, value, at: now });
}

/** Returns the last exemplar of a bucket, counted from 0, if there is one. */
export function exemplarOf(
  metric: string,
  { position, attributes }: { position: number; attributes: Attributes },
): Exemplar | undefined {
  return buckets.get(metric)?.[position]?.last.get(keyOf(attributes));
}

function bucketOf(metric: MetricName, value: number): Bucket {
  const definition = METRICS[metric];
  const bounds: readonly number[] = "buckets" in definition ? definition.buckets : [];
  let own = buckets.get(metric);
  if (own === undefined) {
    own = Array.from({ length: bounds.length + 1 }, () => ({ notedAt: 0, last: new Map() }));
    buckets.set(metric, own);
  }
  const position = bounds.findIndex((bound) => value <= bound);
  return own.at(position) ?? { notedAt: 0, last: new Map() };
}

function keyOf(attributes: Attributes): string {
  return JSON.stringify(
    Object.entries(attributes).toSorted(([one], [other]) => one < other ? -1 : 1),
  );
}
