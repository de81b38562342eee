import { type Attributes, isSpanContextValid, trace, TraceFlags } from "@opentelemetry/api";
import { type MetricName, METRICS } from "./metric_list.ts";

/** One measurement, and the span that it was made in. */
export interface Exemplar {
  traceId: string;
  spanId: string;
  value: number;
  /** In milliseconds since 1970. */
  at: number;
}

/** Each bucket of a metric gets a new one at most so often: most measurements then cost next to nothing. */
const EVERY_MS = 1000;

/** Of one metric, by bucket: when the last was noted, and the last of each set of attributes. */
interface Bucket {
  notedAt: number;
  last: Map<string, Exemplar>;
}

const buckets = new Map<string, Bucket[]>();
let isOn = false;

/**
 * Starts or stops the keeping of exemplars. The OpenTelemetry SDK for JavaScript has none (3.1), so
 * these are kept beside it, for the text that Prometheus reads.
 */
export function keepExemplars(on: boolean): void {
  isOn = on;
  buckets.clear();
}

/** Notes a measurement of a histogram if it was made inside of a span that is sampled. */
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
