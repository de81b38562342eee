import { millis } from "@nats-io/nats-core";
import type { EventType } from "@posthaste/contracts";
import { openSemaphore, type Permit, type Semaphore } from "@posthaste/limits";
import {
  count,
  extractTrace,
  type Logger,
  recordDuration,
  setGauge,
  withContext,
  withSpan,
} from "@posthaste/telemetry";
import { carryOut, refuse } from "./_carry_out.ts";
import type { EventClient } from "./_event_client.ts";
import type { EventMessage } from "./_event_message.ts";
import { HeldEvents } from "./_held_events.ts";
import { readLinks, readTrace } from "./_headers.ts";
import { pullEvents } from "./_pull_events.ts";
import { readEvent } from "./_read_event.ts";
import type { Place, Step, Tries } from "./step.ts";
import { queueAttributes } from "./queue_ages.ts";
import { type ConsumerPlan, consumerPlan, typeOfSubject } from "./topology.ts";

/** Options of {@linkcode consume}. */
export interface ConsumeOptions {
  /** Name of a consumer in {@linkcode CONSUMERS}. */
  consumer: string;
  /**
   * Maximum events in flight; with bulk priority three quarters of that. Events that released their place do
   * not count.
   */
  concurrency: number;
  /** Stops pulling; events in flight are finished. */
  signal: AbortSignal;
  logger: Logger;
}

/**
 * Maximum number of events that a process reads ahead, as a share of its places. They keep the places full while the
 * broker is asked for more, but no other process gets them.
 */
const AHEAD_SHARE = 1 / 2;

/** The other priority has as many places of its own, so bulk never holds most of a process. */
const BULK_SHARE = 3 / 4;

/**
 * Pulls events from a consumer and carries out the verdicts of a step, until the signal aborts. It then
 * finishes the events in flight and returns. It waits for an unavailable broker or consumer.
 */
export async function consume<T extends EventType>(
  client: EventClient,
  step: Step<T>,
  options: ConsumeOptions,
): Promise<void> {
  const { signal, logger } = options;
  const plan = consumerPlan(options.consumer);
  const places = openSemaphore({ max: placesOf(plan, options) });
  const inFlight = new Set<Promise<void>>();
  using held = new HeldEvents();
  const shared = {
    ...{ plan, options, inFlight, held },
    turns: openSemaphore({ max: 1 }),
  };
  const maxAhead = Math.ceil(places.max * AHEAD_SHARE);
  // A place is acquired before its event is taken: an event without one stays with the pull, which gives it back at a
  // stop. The place of the next event counts as free.
  let spare: Permit | undefined = await places.acquire();
  const space = () => maxAhead + places.max - places.held + (spare?.held ?? 0);
  for await (const message of pullEvents(client, { plan, space, held, signal, logger })) {
    begin(client, step, { ...shared, message, permit: spare });
    spare = undefined;
    spare = await places.acquire();
  }
  spare[Symbol.dispose]();
  await Promise.all(inFlight);
}

interface Beginning extends Omit<Processing, "place"> {
  /** What this process has read ahead or in flight. */
  held: HeldEvents;
  inFlight: Set<Promise<void>>;
  permit: Permit;
}

/** Starts to process an event. Its place is free again when the step ends or releases it. */
function begin<T extends EventType>(
  client: EventClient,
  step: Step<T>,
  { inFlight, held, permit, ...processing }: Beginning,
): void {
  const place: Place = { release: () => permit[Symbol.dispose]() };
  const work = processEvent(client, step, { ...processing, place }).finally(() => {
    held.end(processing.message);
    inFlight.delete(work);
    place.release();
    setGauge("posthaste.step.in_flight", inFlight.size, {
      "posthaste.stage": step.name,
      "posthaste.priority": processing.plan.priority,
    });
  });
  inFlight.add(work);
}

/**
 * An event at its third delivery may have ended its worker, and so may any other that the worker had in
 * flight. From then on these events run one after the other, and a lost worker counts against the event that
 * it had begun. Only the count of the guilty event grows.
 */
const INNOCENT_DELIVERIES = 2;

/** Earlier tries of an event, as far as its deliveries show. */
function triesOf({ info }: EventMessage): Tries {
  return { failed: info.deliveryCount - 1, lost: 0 };
}

interface Processing {
  message: EventMessage;
  plan: ConsumerPlan;
  /** Lets events that were redelivered often run one after the other. */
  turns: Semaphore;
  place: Place;
  options: ConsumeOptions;
}

/** Processes one event from delivery to acknowledgement. Never throws. */
async function processEvent<T extends EventType>(
  client: EventClient,
  step: Step<T>,
  { message, plan, turns, place, options }: Processing,
): Promise<void> {
  const { logger } = options;
  const type = typeOfSubject(message.subject);
  const attributes = {
    "messaging.system": "nats",
    "messaging.destination.name": type ?? "unknown",
    "messaging.consumer.group.name": plan.name,
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
  };
  count("messaging.client.consumed.messages", 1, attributes);
  try {
    await withContext(
      extractTrace(readTrace(message.headers)),
      () =>
        withSpan(`process ${type ?? "unknown"}`, {
          kind: "consumer",
          attributes,
          links: readLinks(message.headers),
        }, async () => {
          noteArrival(message, plan);
          using _ = timed((seconds) => {
            recordDuration("messaging.process.duration", seconds, attributes);
          });
          const event = readEvent<T>(message);
          if (!event.ok) return await refuse(client, event.refusal, { message, options });
          const isAgain = message.info.deliveryCount > 1;
          const delivery = { ...event.delivery, isAgain };
          const arrival = { message, delivery, place, options };
          if (message.info.deliveryCount <= INNOCENT_DELIVERIES) {
            return await carryOut(client, step, { ...arrival, tries: triesOf(message) });
          }
          using _turn = await turns.acquire();
          if (options.signal.aborted) return message.nak();
          const tries = await client.poisonMessages.begin(message.key) ?? triesOf(message);
          await carryOut(client, step, { ...arrival, tries });
        }),
    );
  } catch (error) {
    logger.warn("Cannot acknowledge an event, it will be redelivered", { step: step.name, error });
    await client.poisonMessages.end(message.key, "interrupted");
    message.nak();
  }
}

/** Returns how many events of a consumer are in flight at the same time. */
function placesOf({ priority }: ConsumerPlan, { concurrency }: ConsumeOptions): number {
  return priority === "bulk" ? Math.max(1, Math.floor(concurrency * BULK_SHARE)) : concurrency;
}

/** A redelivered event did not wait for a free worker. */
function noteArrival({ info }: EventMessage, plan: ConsumerPlan): void {
  if (info.deliveryCount > 1) return;
  const waitedMs = Math.max(0, Date.now() - millis(info.timestampNanos));
  recordDuration("posthaste.queue.wait.duration", waitedMs / 1000, queueAttributes(plan));
}

function timed(tell: (seconds: number) => void): Disposable {
  const started = performance.now();
  return { [Symbol.dispose]: () => tell((performance.now() - started) / 1000) };
}
