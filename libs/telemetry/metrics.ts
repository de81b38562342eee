import {
  type Attributes,
  type Counter,
  type Gauge,
  type Histogram,
  type MeterProvider,
  metrics,
} from "@opentelemetry/api";
import type { MetricAttributes } from "./attributes.ts";

const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LONG = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 28800, 86400, 172800];
const SIZES = [1e3, 1e4, 5e4, 1e5, 2.5e5, 5e5, 1e6, 2.5e6, 5e6, 1e7, 2.5e7];

interface Definition {
  kind: "duration" | "size" | "counter" | "gauge";
  unit: string;
  description: string;
  buckets?: readonly number[];
}

/**
 * Every metric of the system. Where OpenTelemetry has a semantic convention its name is used;
 * `posthaste.*` are our own. Durations are in seconds (`s`), sizes in bytes (`By`).
 */
export const METRICS = {
  "http.server.request.duration": duration("HTTP requests, from the first byte to the answer"),
  "http.client.request.duration": duration("HTTP requests made: webhooks"),
  "messaging.client.operation.duration": duration("Publishing an event until the broker has it"),
  "messaging.process.duration": duration("One step working on one event"),
  "messaging.client.sent.messages": counter("{message}", "Events published"),
  "messaging.client.consumed.messages": counter("{message}", "Events received"),
  "db.client.operation.duration": duration("Calls of the database"),
  "posthaste.step.verdicts": counter("{verdict}", "What steps decided: done, retry, fail"),
  "posthaste.events.refused": counter("{event}", "Events that could not be read, and were ended"),
  "posthaste.step.in_flight": gauge("{message}", "Events that a step works on now"),
  "posthaste.accept.recipients": counter("{recipient}", "Recipients accepted into the ledger"),
  "posthaste.accept.refused": counter("{request}", "Requests refused, by code"),
  "posthaste.render.duration": duration("Filling all templates of one message"),
  "posthaste.render.cage_restarts": counter("{restart}", "Template workers killed and replaced"),
  "posthaste.print.duration": duration("Printing one PDF, without waiting for a page"),
  "posthaste.print.wait.duration": duration("Waiting for a free page of the browser"),
  "posthaste.print.size": size("Printed PDFs"),
  "posthaste.print.cache": counter("{pdf}", "PDFs found in the store (hit) or printed (miss)"),
  "posthaste.browser.restarts": counter("{restart}", "Browsers closed and replaced, by reason"),
  "posthaste.smtp.duration": duration("One SMTP transaction, MAIL to the final reply"),
  "posthaste.smtp.connect.duration": duration("Opening an SMTP connection, TLS and login included"),
  "posthaste.smtp.size": size("Mails as sent"),
  "posthaste.smtp.outcomes": counter("{mail}", "SMTP transactions by outcome"),
  "posthaste.breaker.transitions": counter("{transition}", "Circuit breakers opened and closed"),
  "posthaste.message.duration": {
    kind: "duration",
    unit: "s",
    description: "A message from its acceptance to its final state",
    buckets: LONG,
  },
  "posthaste.message.states": counter("{message}", "Messages that entered a state"),
  "posthaste.sweep.duration": duration("One round of the sweeper"),
  "posthaste.sweep.dispatched": counter("{message}", "Messages that the sweeper dispatched again"),
  "posthaste.release.dispatched": counter("{message}", "Parked messages that were let go"),
  "posthaste.webhook.deliveries": counter("{delivery}", "Webhook calls by outcome"),
} as const satisfies Record<string, Definition>;

/** Name of a metric. */
export type MetricName = keyof typeof METRICS;

type NameOf<Kind extends Definition["kind"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];

/** Records how long something took, in seconds. */
export function recordDuration(
  metric: NameOf<"duration">,
  seconds: number,
  attributes?: MetricAttributes,
): void {
  instrument<Histogram>(metric)?.record(seconds, present(attributes));
}

/** Records how large something is, in bytes. */
export function recordSize(
  metric: NameOf<"size">,
  bytes: number,
  attributes?: MetricAttributes,
): void {
  instrument<Histogram>(metric)?.record(bytes, present(attributes));
}

/** Adds `n` (0 or more) to a counter. */
export function count(metric: NameOf<"counter">, n = 1, attributes?: MetricAttributes): void {
  instrument<Counter>(metric)?.add(n, present(attributes));
}

/** Sets a gauge to the value that holds now. */
export function setGauge(
  metric: NameOf<"gauge">,
  value: number,
  attributes?: MetricAttributes,
): void {
  instrument<Gauge>(metric)?.record(value, present(attributes));
}

const instruments = new Map<MetricName, Histogram | Counter | Gauge>();
const silent = metrics.getMeterProvider();
let made: MeterProvider = silent;

/** Instruments are made at their first use, and again when another provider takes over. */
function instrument<T extends Histogram | Counter | Gauge>(metric: MetricName): T | undefined {
  const provider = metrics.getMeterProvider();
  if (provider === silent) return undefined;
  if (provider !== made) {
    instruments.clear();
    made = provider;
  }
  let found = instruments.get(metric);
  if (found === undefined) {
    found = createInstrument(provider, metric);
    instruments.set(metric, found);
  }
  return found as T;
}

function createInstrument(provider: MeterProvider, metric: MetricName) {
  const meter = provider.getMeter("posthaste");
  const { kind, unit, description, buckets }: Definition = METRICS[metric];
  const options = { unit, description };
  if (kind === "counter") return meter.createCounter(metric, options);
  if (kind === "gauge") return meter.createGauge(metric, options);
  const explicitBucketBoundaries = [...(buckets ?? (kind === "size" ? SIZES : SHORT))];
  return meter.createHistogram(metric, { ...options, advice: { explicitBucketBoundaries } });
}

function present(attributes: MetricAttributes | undefined): Attributes {
  const result: Attributes = {};
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function duration(description: string) {
  return { kind: "duration", unit: "s", description } as const;
}

function size(description: string) {
  return { kind: "size", unit: "By", description } as const;
}

function counter(unit: string, description: string) {
  return { kind: "counter", unit, description } as const;
}

function gauge(unit: string, description: string) {
  return { kind: "gauge", unit, description } as const;
}
