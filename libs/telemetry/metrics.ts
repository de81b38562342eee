import {
  type Attributes,
  type Counter,
  type Gauge,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
} from "@opentelemetry/api";
import { noteObserved } from "./_current.ts";
import { noteExemplar } from "./_exemplars.ts";
import {
  type AttributesOf,
  type MetricDefinition,
  type MetricName,
  type MetricOf,
  METRICS,
} from "./metric_list.ts";

/** Records a duration, in seconds; inside an exported span, also its ids. */
export function recordDuration<Name extends MetricOf<"duration">>(
  metric: Name,
  seconds: number,
  attributes?: AttributesOf<Name>,
): void {
  record(metric, seconds, attributes);
}

/** Records a size, in bytes. */
export function recordSize<Name extends MetricOf<"size">>(
  metric: Name,
  bytes: number,
  attributes?: AttributesOf<Name>,
): void {
  record(metric, bytes, attributes);
}

/** Adds `n` (0 or more) to a counter. */
export function count<Name extends MetricOf<"counter">>(
  metric: Name,
  n = 1,
  attributes?: AttributesOf<Name>,
): void {
  instrument<Counter>(metric)?.add(n, present(attributes));
}

/** Sets a gauge to its current value. */
export function setGauge<Name extends MetricOf<"gauge">>(
  metric: Name,
  value: number,
  attributes?: AttributesOf<Name>,
): void {
  instrument<Gauge>(metric)?.record(value, present(attributes));
}

/** One value of an observed metric. */
export interface Observation<Name extends MetricName> {
  value: number;
  attributes?: AttributesOf<Name>;
}

/**
 * Registers a function that returns the values of a metric whenever metrics are read, until it is disposed. A
 * value that the function no longer returns is no longer reported. Without telemetry the function is never
 * called.
 */
export function observe<Name extends MetricOf<"observedCounter" | "observedGauge" | "observedSum">>(
  metric: Name,
  read: () => readonly Observation<Name>[],
): Disposable {
  const provider = metrics.getMeterProvider();
  if (provider === silent) return { [Symbol.dispose]: () => {} };
  const observable = createObservable(provider.getMeter("posthaste"), metric);
  const tell = (result: { observe(value: number, attributes?: Attributes): void }) => {
    const observations = read().map(({ value, attributes }) => ({
      value,
      attributes: present(attributes),
    }));
    noteObserved(metric, observations.map(({ attributes }) => attributes));
    for (const { value, attributes } of observations) result.observe(value, attributes);
  };
  observable.addCallback(tell);
  return {
    [Symbol.dispose]: () => {
      observable.removeCallback(tell);
      noteObserved(metric, []);
    },
  };
}

function record<Name extends MetricOf<"duration" | "size">>(
  metric: Name,
  value: number,
  attributes: AttributesOf<Name> | undefined,
): void {
  const histogram = instrument<Histogram>(metric);
  if (histogram === undefined) return;
  const known = present(attributes);
  histogram.record(value, known);
  noteExemplar(metric, { value, attributes: known });
}

const instruments = new Map<MetricName, Histogram | Counter | Gauge>();
const silent = metrics.getMeterProvider();
let made: MeterProvider = silent;

/** Returns an instrument. It is created at its first use, and again after a change of the provider. */
function instrument<T extends Histogram | Counter | Gauge>(metric: MetricName): T | undefined {
  const provider = metrics.getMeterProvider();
  if (provider === silent) return undefined;
  if (provider !== made) {
    instruments.clear();
    made = provider;
  }
  let found = instruments.get(metric);
  if (found === undefined) {
    found = createInstrument(provider.getMeter("posthaste"), metric);
    instruments.set(metric, found);
  }
  return found as T;
}

function createInstrument(meter: Meter, metric: MetricName) {
  const { kind, unit, description, buckets = [] }: MetricDefinition = METRICS[metric];
  const options = { unit, description };
  if (kind === "counter") return meter.createCounter(metric, options);
  if (kind === "gauge") return meter.createGauge(metric, options);
  return meter.createHistogram(metric, {
    ...options,
    advice: { explicitBucketBoundaries: [...buckets] },
  });
}

function createObservable(meter: Meter, metric: MetricName) {
  const { kind, unit, description }: MetricDefinition = METRICS[metric];
  const options = { unit, description };
  if (kind === "observedCounter") return meter.createObservableCounter(metric, options);
  if (kind === "observedSum") return meter.createObservableUpDownCounter(metric, options);
  return meter.createObservableGauge(metric, options);
}

function present(attributes: Record<string, unknown> | undefined): Attributes {
  const result: Attributes = {};
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== undefined) result[name] = value as string | number | boolean;
  }
  return result;
}
