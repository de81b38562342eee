import type { JsMsg } from "@nats-io/jetstream";
import { millis, nanos } from "@nats-io/nats-core";
import { EVENTS, type EventType } from "@posthaste/contracts";
import { crashPoint } from "@posthaste/runtime";
import {
  addSpanAttributes,
  count,
  extractTrace,
  type Logger,
  recordDuration,
  setGauge,
  withContext,
  withSpan,
} from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import { readTrace, REPLY_HEADER } from "./_headers.ts";
import { drainMessages } from "./_drain_messages.ts";
import type { EventClient } from "./_event_client.ts";
import { publishEvent } from "./publish.ts";
import { type Delivery, type Outgoing, retryDelayMs, runStep, type Step } from "./step.ts";
import { CONSUMERS, typeOfSubject } from "./topology.ts";

/** Options of {@linkcode consume}. */
export interface ConsumeOptions {
  /** Name of a consumer in {@linkcode CONSUMERS}. */
  consumer: string;
  /** How many events are in hand at once. */
  concurrency: number;
  /** Stop pulling; what is in hand is finished. */
  signal: AbortSignal;
  logger: Logger;
}

const PULL_EXPIRES_MS = 5000;
const RECOVER_DELAY_MS = 500;

/**
 * Pulls events from a consumer and carries out what a step decides, until the signal aborts; then it
 * finishes what is in hand and returns. A broker or consumer that is away is waited for.
 */
export async function consume<T extends EventType>(
  client: EventClient,
  step: Step<T>,
  options: ConsumeOptions,
): Promise<void> {
  const { signal, logger } = options;
  while (!signal.aborted) {
    try {
      await pull(client, step, options);
    } catch (error) {
      logger.warn("Cannot pull events, trying again", { consumer: options.consumer, error });
    }
    if (!signal.aborted) await delay(RECOVER_DELAY_MS);
  }
}

async function pull<T extends EventType>(
  client: EventClient,
  step: Step<T>,
  options: ConsumeOptions,
): Promise<void> {
  const plan = planOf(options.consumer);
  const consumer = await client.stream.consumers.get(plan.stream, plan.name);
  // The broker's word counts: an operator may have set another time than the plan's.
  const { config } = await consumer.info(true);
  const ackWaitMs = millis(config.ack_wait ?? nanos(plan.ackWaitMs));
  const messages = await consumer.consume({
    // No more than can be worked on: what waits in this process has its time running out.
    max_messages: Math.max(2, options.concurrency),
    expires: PULL_EXPIRES_MS,
    abort_on_missing_resource: true,
  });
  const stop = () => void drainMessages(messages);
  options.signal.addEventListener("abort", stop, { once: true });
  // It may have aborted while the consumer was looked up.
  if (options.signal.aborted) stop();
  const inHand = new Set<Promise<void>>();
  try {
    for await (const message of messages) {
      if (options.signal.aborted) {
        message.nak();
        continue;
      }
      const work = settle(client, step, { message, plan, ackWaitMs, options }).finally(() => {
        inHand.delete(work);
        setGauge("posthaste.step.in_flight", inHand.size, { "posthaste.stage": step.name });
      });
      inHand.add(work);
      if (inHand.size >= options.concurrency) await Promise.race(inHand);
    }
  } finally {
    options.signal.removeEventListener("abort", stop);
    await Promise.all(inHand);
  }
}

interface Settling {
  message: JsMsg;
  plan: ReturnType<typeof planOf>;
  ackWaitMs: number;
  options: ConsumeOptions;
}

/** Deals with one event from its arrival to its end; never throws. */
async function settle<T extends EventType>(
  client: EventClient,
  step: Step<T>,
  { message, plan, ackWaitMs, options }: Settling,
): Promise<void> {
  const { logger } = options;
  const keepAlive = setInterval(() => message.working(), ackWaitMs / 3);
  const started = performance.now();
  const type = typeOfSubject(message.subject);
  const attributes = {
    "messaging.system": "nats",
    "messaging.destination.name": type ?? "unknown",
    "messaging.consumer.group.name": plan.name,
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
  };
  try {
    await withContext(
      extractTrace(readTrace(message.headers)),
      () =>
        withSpan(`process ${type ?? "unknown"}`, { kind: "consumer", attributes }, async () => {
          const delivery = parse<T>(message);
          if (delivery === undefined) {
            logger.error("Cannot read an event: it does not match its schema", {
              subject: message.subject,
              sequence: message.seq,
            });
            message.term("does not match its schema");
            return;
          }
          await carryOut(client, step, { message, delivery, options });
        }),
    );
  } catch (error) {
    logger.warn("Cannot settle an event, it comes again", { step: step.name, error });
    message.nak();
  } finally {
    clearInterval(keepAlive);
    const seconds = (performance.now() - started) / 1000;
    recordDuration("messaging.process.duration", seconds, attributes);
  }
}

interface CarryingOut<T extends EventType> {
  message: JsMsg;
  delivery: Delivery<T>;
  options: ConsumeOptions;
}

async function carryOut<T extends EventType>(
  client: EventClient,
  step: Step<T>,
  { message, delivery, options }: CarryingOut<T>,
): Promise<void> {
  const { signal, logger } = options;
  crashPoint("consume.received");
  const context = { deliveries: message.info.deliveryCount, signal };
  let verdict = await runStep(step, delivery, context);
  for (let tries = 1; verdict.type === "retry" && verdict.outage && !signal.aborted; tries++) {
    logger.warn("Cannot work now, waiting", { step: step.name, error: verdict.reason });
    await delay(retryDelayMs(tries), undefined, { signal }).catch(() => undefined);
    verdict = await runStep(step, delivery, context);
  }
  count("posthaste.step.verdicts", 1, {
    "posthaste.stage": step.name,
    "posthaste.outcome": verdict.type,
  });
  if (verdict.type === "retry") {
    logger.warn("Cannot finish an event, it comes again", {
      step: step.name,
      deliveries: context.deliveries,
      error: verdict.reason,
    });
    if (!signal.aborted) await delay(retryDelayMs(context.deliveries));
    message.nak();
    return;
  }
  if (verdict.type === "fail") {
    addSpanAttributes({ "error.type": "internal" });
    logger.error("Cannot finish an event, given up", { step: step.name, reason: verdict.reason });
  }
  let outcome = verdict.type === "done" ? verdict : step.giveUp(delivery, verdict.reason);
  crashPoint("consume.before_publish");
  try {
    await untilPublished(client, outcome.publish, { message, options });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    logger.error("Cannot publish what came of an event, given up", { step: step.name, error });
    outcome = step.giveUp(delivery, error.message);
    await untilPublished(client, outcome.publish, { message, options });
  }
  crashPoint("consume.after_publish");
  if (outcome.reply !== undefined) answer(client, message, outcome.reply);
  message.ack();
  crashPoint("consume.after_ack");
}

/**
 * Publishes, however long the broker takes: a stream that is full or missing is no fault of the event.
 *
 * @throws {RangeError} If an event is too large: it will be every time.
 * @throws If the signal aborts meanwhile.
 */
async function untilPublished(
  client: EventClient,
  publish: Outgoing[],
  { message, options: { signal, logger } }: { message: JsMsg; options: ConsumeOptions },
): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      return await publishAll(client, publish, message);
    } catch (error) {
      if (error instanceof RangeError || signal.aborted) throw error;
      logger.warn("Cannot publish now, waiting", { error });
      await delay(retryDelayMs(tries), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Ids follow from the event that came in: if it comes again, what goes out is published once. */
async function publishAll(client: EventClient, publish: Outgoing[], message: JsMsg) {
  const { stream, streamSequence } = message.info;
  await Promise.all(
    publish.map((outgoing, position) =>
      publishEvent(client.stream, outgoing, {
        id: `${stream}.${streamSequence}.${position}`,
      })
    ),
  );
}

function answer(client: EventClient, message: JsMsg, reply: unknown) {
  const inbox = message.headers?.get(REPLY_HEADER);
  if (inbox) client.respond(inbox, reply);
}

function parse<T extends EventType>(message: JsMsg): Delivery<T> | undefined {
  const type = typeOfSubject(message.subject);
  if (type === undefined || !Object.hasOwn(EVENTS, type)) return undefined;
  try {
    const result = EVENTS[type].safeParse(message.json());
    return result.success ? { type, data: result.data } as Delivery<T> : undefined;
  } catch {
    return undefined;
  }
}

function planOf(name: string) {
  const plan = CONSUMERS.find((candidate) => candidate.name === name);
  if (plan === undefined) throw new RangeError(`Cannot consume "${name}": no such consumer`);
  return plan;
}
