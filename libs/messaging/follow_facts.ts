import type { JsMsg } from "@nats-io/jetstream";
import { type EventData, EVENTS, type FactType } from "@posthaste/contracts";
import { crashPoint } from "@posthaste/runtime";
import type { Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import { drainMessages } from "./_drain_messages.ts";
import type { EventClient } from "./_event_client.ts";
import { CONSUMERS } from "./topology.ts";

/** A fact, checked against its schema. */
export type Fact = { [T in FactType]: { type: T; data: EventData<T> } }[FactType];

/** Options of {@linkcode followFacts}. */
export interface FollowOptions {
  /** Name of a consumer of the stream `FACTS`. */
  consumer: string;
  /** The most facts that are handed over at once. @default {500} */
  batchSize?: number;
  /** How long a fact may wait for company, in milliseconds. @default {25} */
  lingerMs?: number;
  signal: AbortSignal;
  logger: Logger;
}

const PULL_EXPIRES_MS = 5000;
const RECOVER_DELAY_MS = 500;

/**
 * Hands facts to `record` in batches, until the signal aborts. Facts whose batch fails come again:
 * `record` must be idempotent.
 */
export async function followFacts(
  client: EventClient,
  record: (facts: Fact[]) => Promise<void>,
  options: FollowOptions,
): Promise<void> {
  while (!options.signal.aborted) {
    try {
      await pull(client, record, options);
    } catch (error) {
      options.logger.warn("Cannot follow facts, trying again", { error });
    }
    if (!options.signal.aborted) await delay(RECOVER_DELAY_MS);
  }
}

async function pull(
  client: EventClient,
  record: (facts: Fact[]) => Promise<void>,
  options: FollowOptions,
): Promise<void> {
  const { signal, batchSize = 500, lingerMs = 25 } = options;
  const plan = CONSUMERS.find((candidate) => candidate.name === options.consumer);
  if (!plan) throw new RangeError(`Cannot follow facts as "${options.consumer}": no such consumer`);
  const consumer = await client.stream.consumers.get(plan.stream, plan.name);
  const messages = await consumer.consume({
    max_messages: batchSize,
    expires: PULL_EXPIRES_MS,
    abort_on_missing_resource: true,
  });
  const stop = () => void drainMessages(messages);
  signal.addEventListener("abort", stop, { once: true });
  // It may have aborted while the consumer was looked up.
  if (signal.aborted) stop();
  let batch: JsMsg[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const taken = batch;
    batch = [];
    flushing = flushing.then(() => settle(taken, record, options.logger));
    return flushing;
  };
  try {
    for await (const message of messages) {
      batch.push(message);
      if (batch.length >= batchSize) await flush();
      else timer ??= setTimeout(flush, lingerMs);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await flush();
  }
}

/** Never throws: facts that could not be recorded come again. */
async function settle(batch: JsMsg[], record: (facts: Fact[]) => Promise<void>, logger: Logger) {
  if (batch.length === 0) return;
  const facts: Fact[] = [];
  for (const message of batch) {
    const fact = parse(message);
    if (fact === undefined) {
      logger.error("Cannot read a fact: it does not match its schema", {
        subject: message.subject,
      });
      message.term("does not match its schema");
    } else facts.push(fact);
  }
  try {
    crashPoint("facts.before_record");
    await record(facts);
    crashPoint("facts.after_record");
    for (const message of batch) message.ack();
  } catch (error) {
    logger.warn("Cannot record facts, they come again", { count: facts.length, error });
    await delay(RECOVER_DELAY_MS);
    for (const message of batch) message.nak();
  }
}

function parse(message: JsMsg): Fact | undefined {
  if (!Object.hasOwn(EVENTS, message.subject)) return undefined;
  const type = message.subject as FactType;
  try {
    const result = EVENTS[type].safeParse(message.json());
    return result.success ? { type, data: result.data } as Fact : undefined;
  } catch {
    return undefined;
  }
}
