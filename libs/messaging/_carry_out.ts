import type { EventType } from "@posthaste/contracts";
import { failpoint, pause } from "@posthaste/runtime";
import { addSpanAttributes, count, type Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import type { EventClient } from "./_event_client.ts";
import type { EventMessage } from "./_event_message.ts";
import { REPLY_HEADER } from "./_headers.ts";
import type { Rejection } from "./_read_event.ts";
import { publishEvent } from "./publish.ts";
import { takeApart } from "./_take_apart.ts";
import {
  type Delivery,
  MAX_TRIES,
  type Outgoing,
  type Place,
  retryDelayMs,
  runStep,
  type Step,
  type Tries,
} from "./step.ts";
import { typeOfSubject } from "./topology.ts";

/** An event as delivered, and the time that remains to process it. */
interface Arrival {
  message: EventMessage;
  options: { signal: AbortSignal; logger: Logger };
}

/** An event that was read, and what is known of earlier tries. */
interface Work<T extends EventType> extends Arrival {
  delivery: Delivery<T>;
  tries: Tries;
  place: Place;
}

/** Runs a step on an event and carries out its verdict on both. */
export async function carryOut<T extends EventType>(
  client: EventClient,
  step: Step<T>,
  { message, delivery, tries, place, options }: Work<T>,
): Promise<void> {
  const { signal, logger } = options;
  failpoint("consume.received");
  const parts = message.info.deliveryCount > 1 ? takeApart(delivery) : [];
  if (parts.length > 0) {
    await untilPublished(client, parts, { message, options });
    return void message.ack();
  }
  const context = { tries, signal, place };
  let verdict = await runStep(step, delivery, context);
  for (let waits = 1; verdict.type === "retry" && verdict.outage && !signal.aborted; waits++) {
    logger.warn("Cannot process events now, waiting", { step: step.name, error: verdict.reason });
    await pause(retryDelayMs(waits), signal);
    verdict = await runStep(step, delivery, context);
  }
  count("posthaste.step.verdicts", 1, {
    "posthaste.stage": step.name,
    "posthaste.outcome": verdict.type,
  });
  if (verdict.type === "retry") {
    logger.warn("Cannot process an event, it will be redelivered", {
      step: step.name,
      ...tries,
      error: verdict.reason,
    });
    await client.poisonMessages.end(message.key, verdict.outage ? "interrupted" : "failed");
    if (!signal.aborted) await delay(retryDelayMs(tries.failed + 1));
    message.nak();
    return;
  }
  if (verdict.type === "fail") {
    addSpanAttributes({ "error.type": "internal" });
    logger.error("Cannot process an event, giving up", { step: step.name, reason: verdict.reason });
  }
  let outcome = verdict.type === "done" ? verdict : step.giveUp(delivery, verdict.reason);
  failpoint("consume.before_publish");
  try {
    await untilPublished(client, outcome.publish, { message, options });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    logger.error("Cannot publish the result of an event, giving up", { step: step.name, error });
    outcome = step.giveUp(delivery, error.message);
    await untilPublished(client, outcome.publish, { message, options });
  }
  failpoint("consume.after_publish");
  await answer(client, { message, options }, {
    replies: outcome.replies ?? [],
    instead: (reason) => step.giveUp(delivery, reason).replies ?? [],
  });
  message.ack();
  failpoint("consume.after_ack");
}

/**
 * Ends an event that cannot be read. Only a malformed event fails the messages that it names. The ledger has
 * all others as waiting, and the reconciler redispatches them.
 */
export async function refuse(
  client: EventClient,
  { reason, kind, failures }: Rejection,
  { message, options }: Arrival,
): Promise<void> {
  const { signal, logger } = options;
  const deliveries = message.info.deliveryCount;
  const about = { event: message.subject, sequence: message.info.streamSequence, reason };
  // During an upgrade, a process of the newer version may receive it next.
  if (kind === "newer" && deliveries < MAX_TRIES) {
    logger.warn("Cannot read an event, it will be redelivered", { ...about, deliveries });
    await pause(retryDelayMs(deliveries), signal);
    message.nak();
    return;
  }
  addSpanAttributes({ "error.type": "invalid_input" });
  count("posthaste.events.refused", 1, {
    "messaging.destination.name": typeOfSubject(message.subject) ?? "unknown",
    "posthaste.reason": kind,
  });
  const failed = failures.length;
  logger.error("Cannot read an event, giving up", { ...about, failed });
  await untilPublished(client, failures, { message, options });
  message.term(reason);
}

/**
 * Publishes, no matter how long the broker takes: a full or missing stream is not the fault of the event.
 *
 * @throws {RangeError} If an event is too large: it will be every time.
 * @throws If the signal aborts meanwhile.
 */
async function untilPublished(
  client: EventClient,
  publish: Outgoing[],
  { message, options: { signal, logger } }: Arrival,
): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      return await publishAll(client, publish, message);
    } catch (error) {
      if (error instanceof RangeError || signal.aborted) throw error;
      logger.warn("Cannot publish now, waiting", { error });
      await pause(retryDelayMs(tries), signal);
    }
  }
}

/** Derives ids from the incoming event: if it is redelivered, its results are published once. */
async function publishAll(client: EventClient, publish: Outgoing[], message: EventMessage) {
  await Promise.all(
    publish.map((outgoing, position) =>
      publishEvent(client.stream, outgoing, { id: `${message.key}.${position}` })
    ),
  );
}

/** The answers to the askers of an event. */
interface AnswerPlan {
  /** The replies by position. They may still be pending. */
  replies: readonly unknown[];
  /** The answer in place of a reply that cannot be sent. */
  instead(reason: string): readonly unknown[];
}

/**
 * Sends each reply as soon as it resolves. A reply that is too large is replaced: it would be too large every
 * time.
 */
async function answer(
  client: EventClient,
  { message, options: { logger } }: Arrival,
  { replies, instead }: AnswerPlan,
): Promise<void> {
  const inbox = message.headers?.get(REPLY_HEADER);
  await Promise.all(replies.map(async (reply, position) => {
    const ready = await reply;
    if (!inbox) return;
    try {
      client.respond(inbox, position, ready);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      logger.error("Cannot reply: the reply is too large", { error });
      client.respond(inbox, position, instead(error.message)[position]);
    }
  }));
}
