import { EVENT_VERSION, EVENTS, newestVersionOf, type StatusEventType } from "@posthaste/contracts";
import { failpoint, Throttle } from "@posthaste/runtime";
import {
  count,
  type Logger,
  recordDuration,
  type TraceCarrier,
  withSpan,
} from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import type { EventClient } from "./_event_client.ts";
import type { EventMessage } from "./_event_message.ts";
import { HeldEvents } from "./_held_events.ts";
import { readTrace } from "./_headers.ts";
import { pullEvents } from "./_pull_events.ts";
import { type StatusEvent, statusEventsIn } from "./report_status_events.ts";
import { isOutage, type Outgoing } from "./step.ts";
import { type ConsumerPlan, consumerPlan, typeOfSubject } from "./topology.ts";

export type { StatusEvent };

/** Options of {@linkcode followStatusEvents}. */
export interface FollowOptions {
  /** Name of a consumer of the stream `STATUS`. */
  consumer: string;
  /** Maximum number of status events in one batch. @default {500} */
  batchSize?: number;
  /** Least time between two batches, in milliseconds, unless one is full. @default {50} */
  everyMs?: number;
  signal: AbortSignal;
  logger: Logger;
}

const RECOVER_DELAY_MS = 500;

/** Deliveries of a status event before it is given up while others can be recorded: about 10 s. */
const MAX_STATUS_DELIVERIES = 20;

/**
 * How often, and how long each time, a status event of a newer version is left to other processes: two
 * minutes.
 */
const MAX_NEWER_DELIVERIES = 25;
const NEWER_DELAY_MS = 5000;

/**
 * Passes status events to `record` in batches, until the signal aborts. Failed status events are redelivered:
 * `record` must be idempotent. A status event that keeps failing alone is given up.
 */
export async function followStatusEvents(
  client: EventClient,
  record: (statusEvents: StatusEvent[]) => Promise<void>,
  options: FollowOptions,
): Promise<void> {
  const { signal, batchSize = 500, everyMs = 50, logger } = options;
  const plan = consumerPlan(options.consumer);
  const throttle = new Throttle(everyMs);
  using held = new HeldEvents();
  let batch: EventMessage[] = [];
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const recordGathered = () => {
    const taken = batch;
    batch = [];
    throttle.begin();
    return recordInSpan(taken, record, { plan, logger }).finally(() => {
      for (const message of taken) held.end(message);
    });
  };
  // One batch at a time: events that arrive meanwhile make the next batch, not a queue of small ones.
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    flushing ??= recordGathered().finally(() => {
      flushing = undefined;
      if (batch.length > 0) timer ??= setTimeout(flush, throttle.waitMs);
    });
    return flushing;
  };
  // Beside a batch that is being recorded, one is gathered.
  const space = () => Math.max(1, batchSize - batch.length);
  const messages = pullEvents(client, { plan, space, held, signal, logger });
  for await (const message of messages) {
    batch.push(message);
    while (batch.length >= batchSize) await flush();
    if (batch.length > 0) timer ??= setTimeout(flush, throttle.waitMs);
  }
  while (batch.length > 0 || flushing !== undefined) await flush();
  clearTimeout(timer);
}

/** Maximum number of traces that a batch links to: more have no use. */
const MAX_LINKS = 64;

/** Status events of many traces are recorded together: the batch is a trace of its own, linked to theirs. */
function recordInSpan(
  batch: EventMessage[],
  record: (statusEvents: StatusEvent[]) => Promise<void>,
  { plan, logger }: { plan: ConsumerPlan; logger: Logger },
): Promise<void> {
  const about = {
    "messaging.system": "nats",
    "messaging.consumer.group.name": plan.name,
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
  };
  for (const [type, { length }] of Map.groupBy(batch, typeOf)) {
    count("messaging.client.consumed.messages", length, {
      ...about,
      "messaging.destination.name": type,
    });
  }
  return withSpan("process status event", {
    kind: "consumer",
    attributes: { ...about, "messaging.batch.message_count": batch.length },
    links: linksOf(batch),
  }, async () => {
    const started = performance.now();
    await recordBatch(batch, record, logger);
    recordDuration("messaging.process.duration", (performance.now() - started) / 1000, about);
  });
}

function linksOf(batch: EventMessage[]): TraceCarrier[] {
  const links = new Map<string, TraceCarrier>();
  for (const { headers } of batch) {
    if (links.size === MAX_LINKS) break;
    const carrier = readTrace(headers);
    // Several status events of one message have one trace.
    const traceId = carrier.traceparent?.split("-")[1];
    if (traceId !== undefined && !links.has(traceId)) links.set(traceId, carrier);
  }
  return [...links.values()];
}

/** Never throws: status events that could not be recorded are redelivered. */
async function recordBatch(
  batch: EventMessage[],
  record: (statusEvents: StatusEvent[]) => Promise<void>,
  logger: Logger,
) {
  const known = batch.flatMap((message) => {
    const statusEvents = parse(message);
    if (statusEvents !== undefined) return { message, statusEvents };
    refuse(message, logger);
    return [];
  });
  if (known.length === 0) return;
  const error = await failureOf(known, record);
  if (error === undefined) return;
  logger.warn("Cannot record status events, they will be redelivered", {
    count: known.length,
    error,
  });
  await sendBack(isOutage(error) ? known : await recordEach(known, record, logger));
}

function refuse(message: EventMessage, logger: Logger): void {
  const newer = isNewer(message);
  // During an upgrade, a process of the newer version may receive it next.
  if (newer && message.info.deliveryCount < MAX_NEWER_DELIVERIES) message.nak(NEWER_DELAY_MS);
  else end(message, { reason: newer ? "newer" : "malformed", logger });
}

/** Records status events one by one: an event that can never be recorded does not hold up the others. */
async function recordEach(
  known: Known[],
  record: (statusEvents: StatusEvent[]) => Promise<void>,
  logger: Logger,
): Promise<Known[]> {
  const failing: Known[] = [];
  for (const [position, one] of known.entries()) {
    const error = await failureOf([one], record);
    if (error === undefined) continue;
    if (isOutage(error)) return [...failing, ...known.slice(position)];
    if (one.message.info.deliveryCount >= MAX_STATUS_DELIVERIES) {
      end(one.message, { reason: "poison", logger, error });
    } else failing.push(one);
  }
  return failing;
}

interface Known {
  message: EventMessage;
  statusEvents: StatusEvent[];
}

/** Records and acknowledges status events, or returns the error. */
async function failureOf(
  known: Known[],
  record: (statusEvents: StatusEvent[]) => Promise<void>,
): Promise<unknown> {
  try {
    failpoint("status_events.before_record");
    await record(known.flatMap(({ statusEvents }) => statusEvents));
    failpoint("status_events.after_record");
  } catch (error) {
    return error ?? new Error("no reason given");
  }
  for (const { message } of known) message.ack();
  return undefined;
}

async function sendBack(known: Known[]) {
  if (known.length === 0) return;
  await delay(RECOVER_DELAY_MS);
  for (const { message } of known) message.nak();
}

/** Ends a status event for good. The ledger lacks it then; where that matters, the reconciler repairs it. */
function end(
  message: EventMessage,
  { reason, logger, error }: { reason: string; logger: Logger; error?: unknown },
) {
  count("posthaste.events.refused", 1, {
    "messaging.destination.name": typeOf(message),
    "posthaste.reason": reason,
  });
  logger.error("Cannot process a status event, giving up", {
    event: message.subject,
    sequence: message.info.streamSequence,
    reason,
    error,
  });
  message.term(reason);
}

function typeOf({ subject }: EventMessage): string {
  return typeOfSubject(subject) ?? "unknown";
}

function isNewer(message: EventMessage): boolean {
  try {
    const { v } = message.json<{ v?: unknown }>();
    const newest = isStatusEventType(message.subject)
      ? newestVersionOf(message.subject)
      : EVENT_VERSION;
    return typeof v === "number" && v > newest;
  } catch {
    return false;
  }
}

function isStatusEventType(subject: string): subject is StatusEventType {
  return Object.hasOwn(EVENTS, subject);
}

function parse(message: EventMessage): StatusEvent[] | undefined {
  const { subject: type } = message;
  if (!isStatusEventType(type)) return undefined;
  try {
    const result = EVENTS[type].safeParse(message.json());
    return result.success ? statusEventsIn({ type, data: result.data } as Outgoing) : undefined;
  } catch {
    return undefined;
  }
}
