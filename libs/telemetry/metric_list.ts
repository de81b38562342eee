import type { MetricAttributeName } from "./attributes.ts";

/**
 * The kind of a metric. `duration` and `size` are histograms; `counter` and `gauge` are recorded as things
 * happen. `observedCounter`, `observedGauge` and `observedSum` (an up-down counter) are requested whenever
 * metrics are read.
 */
export type MetricKind =
  | "duration"
  | "size"
  | "counter"
  | "gauge"
  | "observedCounter"
  | "observedGauge"
  | "observedSum";

/** The declaration of a metric. */
export interface MetricDefinition {
  readonly kind: MetricKind;
  /** The unit in UCUM: `s`, `By`, `1`, or the counted things in braces. */
  readonly unit: string;
  readonly description: string;
  /** The attributes that it may carry. */
  readonly attributes: readonly MetricAttributeName[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LONG = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 28800, 86400, 172800];
const SIZES = [1e3, 1e4, 5e4, 1e5, 2.5e5, 5e5, 1e6, 2.5e6, 5e6, 1e7, 2.5e7];

const MESSAGING = [
  "messaging.system",
  "messaging.destination.name",
  "messaging.operation.name",
  "messaging.operation.type",
] as const;

const CONSUMING = [...MESSAGING, "messaging.consumer.group.name"] as const;

const QUEUE = ["posthaste.stage", "posthaste.priority", "messaging.consumer.group.name"] as const;

/**
 * Every metric of the system. A name follows OpenTelemetry's semantic convention if there is one;
 * `posthaste.*` are our own. Durations are in seconds (`s`), sizes in bytes (`By`).
 */
export const METRICS = {
  "http.server.request.duration": duration("HTTP requests, from the first byte to the answer", [
    "http.request.method",
    "http.route",
    "http.response.status_code",
    "url.scheme",
    "error.type",
  ]),
  "messaging.client.operation.duration": duration(
    "Publishing an event until the broker has it",
    [...MESSAGING, "error.type"],
  ),
  "messaging.process.duration": duration("One step working on one event", CONSUMING),
  "messaging.client.sent.messages": counter("{message}", "Events published", MESSAGING),
  "messaging.client.consumed.messages": counter("{message}", "Events received", CONSUMING),
  "db.client.operation.duration": duration("Operations of the ledger, by its own names", [
    "db.system.name",
    "db.operation.name",
    "error.type",
  ]),
  "posthaste.queue.messages": {
    kind: "observedGauge",
    unit: "{message}",
    description: "Events of a consumer: waiting and in flight",
    attributes: QUEUE,
  },
  "posthaste.queue.oldest_age": {
    kind: "observedGauge",
    unit: "s",
    description: "Age of the oldest event of a consumer; 0 when there is none",
    attributes: QUEUE,
  },
  "posthaste.queue.wait.duration": long("Time from the broker until an event is processed", QUEUE),
  "posthaste.stream.size": {
    kind: "observedGauge",
    unit: "By",
    description: "What a stream or object store of the broker holds",
    attributes: ["posthaste.stream", "posthaste.stream.kind"],
  },
  "posthaste.stream.limit": {
    kind: "observedGauge",
    unit: "By",
    description: "What a stream or object store of the broker may hold",
    attributes: ["posthaste.stream", "posthaste.stream.kind"],
  },
  "posthaste.step.verdicts": counter("{verdict}", "What steps decided: done, retry, fail", [
    "posthaste.stage",
    "posthaste.outcome",
  ]),
  "posthaste.events.refused": counter(
    "{event}",
    "Events that could not be read and were terminated",
    ["messaging.destination.name", "posthaste.reason"],
  ),
  "posthaste.step.in_flight": {
    kind: "gauge",
    unit: "{message}",
    description: "Events that a step works on now",
    attributes: ["posthaste.stage", "posthaste.priority"],
  },
  "posthaste.accept.recipients": counter("{recipient}", "Recipients accepted into the ledger", [
    "posthaste.priority",
  ]),
  "posthaste.accept.refused": counter("{request}", "Requests refused, by code", [
    "posthaste.reason",
  ]),
  "posthaste.render.duration": duration("Filling all templates of one message", []),
  "posthaste.render.sandbox_restarts": {
    kind: "observedCounter",
    unit: "{restart}",
    description: "Template workers killed and replaced",
    attributes: [],
  },
  "posthaste.print.duration": duration("Printing one PDF, without waiting for a page", []),
  "posthaste.print.wait.duration": duration("Waiting for a free page of the browser", []),
  "posthaste.print.size": size("Printed PDFs", []),
  "posthaste.print.cache": counter(
    "{pdf}",
    "PDFs that the process remembers (hit) or does not (miss)",
    [
      "posthaste.outcome",
    ],
  ),
  "posthaste.browser.restarts": counter("{restart}", "Browsers replaced, by reason", [
    "posthaste.reason",
  ]),
  "posthaste.browser.memory": {
    kind: "observedGauge",
    unit: "By",
    description: "Memory of the browsers' processes; 0 while none runs",
    attributes: [],
  },
  "posthaste.smtp.duration": duration("One SMTP transaction, MAIL to the final reply", []),
  "posthaste.smtp.connect.duration": duration(
    "Opening an SMTP connection, TLS and login included",
    ["error.type"],
  ),
  "posthaste.smtp.size": size("Mails as sent", []),
  "posthaste.smtp.outcomes": counter("{mail}", "Attempts to send a mail, by outcome", [
    "posthaste.outcome",
    "smtp.response.status_class",
    "posthaste.integration",
  ]),
  "posthaste.oauth.refreshes": counter(
    "{request}",
    "Access tokens asked for at providers, by outcome: issued, refused (permanently), unavailable",
    ["posthaste.provider", "posthaste.outcome"],
  ),
  "posthaste.breaker.transitions": counter("{transition}", "Circuit breakers opened and closed", [
    "posthaste.outcome",
  ]),
  "posthaste.integrations": {
    kind: "observedGauge",
    unit: "{integration}",
    description:
      "SMTP integrations with waiting messages: unreachable (open breaker), suspended, failing (nothing accepted for 10 minutes)",
    attributes: ["posthaste.state"],
  },
  "posthaste.messages": {
    kind: "observedGauge",
    unit: "{message}",
    description: "Messages in the ledger that are waiting or unknown; counted up to 100,000",
    attributes: ["posthaste.state"],
  },
  "posthaste.webhook.deliveries": counter(
    "{request}",
    "Requests to webhook endpoints, by outcome: delivered, retrying, failed (given up)",
    ["posthaste.outcome"],
  ),
  "posthaste.webhook.oldest_age": {
    kind: "observedGauge",
    unit: "s",
    description:
      "Wait of the oldest event for endpoints of the process, by their state: up, down; 0 when none waits",
    attributes: ["posthaste.state"],
  },
  "posthaste.webhook.endpoints": {
    kind: "observedGauge",
    unit: "{endpoint}",
    description: "Webhook endpoints: up, down (enabled, all requests fail), disabled (given up)",
    attributes: ["posthaste.state"],
  },
  "posthaste.ledger.disk.usage": {
    kind: "observedGauge",
    unit: "By",
    description: "Used bytes of the file system that holds the database",
    attributes: [],
  },
  "posthaste.ledger.disk.limit": {
    kind: "observedGauge",
    unit: "By",
    description: "Size of the file system that holds the database",
    attributes: [],
  },
  "posthaste.message.duration": long("A message from its acceptance to the outcome of an attempt", [
    "posthaste.state",
  ]),
  "posthaste.message.states": counter("{message}", "Messages with an outcome, by status event", [
    "posthaste.state",
    "posthaste.stage",
  ]),
  "posthaste.reconcile.duration": duration("One round of the reconciler", []),
  "posthaste.reconcile.sends": counter("{send}", "Sends that the reconciler checked", []),
  "posthaste.reconcile.dispatched": counter(
    "{message}",
    "Messages that the reconciler redispatched",
    [],
  ),
  "posthaste.schedule.dispatched": counter(
    "{message}",
    "Messages of waiting sends that were dispatched when there was capacity",
    [],
  ),
  "posthaste.due.dispatched": counter(
    "{message}",
    "Messages that were dispatched because their next attempt was due, or there was capacity for them again",
    [],
  ),
  "posthaste.reconcile.ended": counter(
    "{message}",
    "Attempts of lost workers whose outcome the reconciler wrote",
    ["posthaste.outcome"],
  ),
  "nodejs.eventloop.delay.mean": observed("s", "Mean delay of the event loop since the last read"),
  "nodejs.eventloop.delay.max": observed(
    "s",
    "Longest delay of the event loop since the last read",
  ),
  "nodejs.eventloop.delay.p99": observed("s", "99th percentile of the event loop's delay"),
  "nodejs.eventloop.utilization": observed("1", "Share of time that the event loop was busy"),
  "v8js.memory.heap.used": heap("Used bytes of a heap space"),
  "v8js.memory.heap.limit": heap("Size of a heap space"),
  "v8js.gc.duration": duration("Garbage collections, by type", ["v8js.gc.type"]),
  "process.cpu.time": {
    kind: "observedCounter",
    unit: "s",
    description: "Processor time of the process",
    attributes: ["cpu.mode"],
  },
  "process.memory.usage": {
    kind: "observedSum",
    unit: "By",
    description: "Resident memory of the process",
    attributes: [],
  },
  "process.unix.file_descriptor.count": {
    kind: "observedSum",
    unit: "{file_descriptor}",
    description: "Open file descriptors of the process",
    attributes: [],
  },
  "process.uptime": observed("s", "Time since the process started"),
} as const satisfies Record<string, MetricDefinition>;

/** Name of a metric. */
export type MetricName = keyof typeof METRICS;

/** Names of the metrics of some kinds. */
export type MetricOf<Kind extends MetricKind> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];

/** Attributes of one measurement of a metric; those that are `undefined` are left out. */
export type AttributesOf<Name extends MetricName> = {
  [Key in (typeof METRICS)[Name]["attributes"][number]]?: string | number | boolean | undefined;
};

function duration<const Names extends readonly MetricAttributeName[]>(
  description: string,
  attributes: Names,
) {
  return { kind: "duration", unit: "s", description, attributes, buckets: SHORT } as const;
}

function long<const Names extends readonly MetricAttributeName[]>(
  description: string,
  attributes: Names,
) {
  return { kind: "duration", unit: "s", description, attributes, buckets: LONG } as const;
}

function size<const Names extends readonly MetricAttributeName[]>(
  description: string,
  attributes: Names,
) {
  return { kind: "size", unit: "By", description, attributes, buckets: SIZES } as const;
}

function counter<const Names extends readonly MetricAttributeName[]>(
  unit: string,
  description: string,
  attributes: Names,
) {
  return { kind: "counter", unit, description, attributes } as const;
}

function observed(unit: string, description: string) {
  return { kind: "observedGauge", unit, description, attributes: [] } as const;
}

function heap(description: string) {
  return {
    kind: "observedSum",
    unit: "By",
    description,
    attributes: ["v8js.heap.space.name"],
  } as const;
}
