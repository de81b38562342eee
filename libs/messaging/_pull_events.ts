import { createInbox, millis, type Msg, nanos, type Subscription } from "@nats-io/nats-core";
import { openTimeLimit } from "@posthaste/runtime";
import type { Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import type { EventClient } from "./_event_client.ts";
import { type EventMessage, openEventMessage } from "./_event_message.ts";
import type { ConsumerPlan } from "./topology.ts";

/** Options of {@linkcode pullEvents}. */
export interface PullOptions {
  plan: ConsumerPlan;
  /** Returns the maximum number of events that may be asked for, or wait to be read, at this moment. */
  space: () => number;
  /** Ends the pull. Events that are not read yet are given back. */
  signal: AbortSignal;
  logger: Logger;
}

/** A request for events ends after this. The broker then answers with 408. */
const EXPIRES_MS = 5000;
/** Time for that answer. A request without it is lost, with the broker or with the connection. */
const ANSWER_MS = 1000;
const RETRY_MS = 500;
/** Smallest request, as a share of the space. */
const MIN_BATCH_SHARE = 1 / 4;
/** Longest wait at the end for events that are on their way: a broker that hangs must not keep a process. */
const DRAIN_MS = 1000;

/**
 * Pulls events from a consumer until the signal aborts, and waits for an unavailable broker or consumer. Events that
 * wait to be read are reported as in progress.
 *
 * The client's own `consume()` asks for events as they are read, takes its silence meanwhile for lost requests, and
 * repeats them without bound. Its `fetch()` drops what is on its way when it ends. This pull asks for as many events
 * as it has space for, and listens until it ends (ADR-13, ADR-15).
 */
export async function* pullEvents(
  client: EventClient,
  options: PullOptions,
): AsyncGenerator<EventMessage> {
  const { signal } = options;
  const pull = new Pull(client, options);
  const stop = () => void pull.close();
  signal.addEventListener("abort", stop, { once: true });
  client.reconnects.add(pull.renew);
  try {
    await pull.start();
    while (!signal.aborted) {
      const message = pull.take();
      if (message === undefined) await pull.arrival();
      else yield message;
    }
  } finally {
    client.reconnects.delete(pull.renew);
    signal.removeEventListener("abort", stop);
    await pull.close();
  }
}

/** An open request, and the maximum number of events that it may still bring. */
interface Request {
  left: number;
  limit: Disposable;
}

class Pull {
  readonly #client: EventClient;
  readonly #options: PullOptions;
  readonly #inbox: string;
  readonly #unread: EventMessage[] = [];
  /** Open requests by the inboxes to which the broker tells their ends, the oldest first. */
  readonly #requests = new Map<string, Request>();
  #subscription: Subscription | undefined;
  #asked = 0;
  #arrival = Promise.withResolvers<void>();
  #ackWaitMs: number;
  #progress: NodeJS.Timeout | undefined;
  #wasLost = false;
  #closing: Promise<void> | undefined;

  constructor(client: EventClient, options: PullOptions) {
    this.#client = client;
    this.#options = options;
    this.#inbox = createInbox(client.inboxPrefix);
    this.#ackWaitMs = options.plan.ackWaitMs;
  }

  /** Waits for the consumer, and asks for its first events. */
  async start(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#readAckWait();
        return this.#ask();
      } catch (error) {
        this.#warn(error);
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Takes an event that has arrived. The one before it has its place by now. */
  take(): EventMessage | undefined {
    this.#ask();
    return this.#unread.shift();
  }

  /** Resolves when an event arrives, or at the end. */
  arrival(): Promise<void> {
    this.#arrival = Promise.withResolvers();
    return this.#arrival.promise;
  }

  /** Takes all requests for lost. */
  readonly renew = (): void => {
    this.#forgetRequests();
    this.#ask();
  };

  /** Gives back what is not read, and what is on its way. */
  close(): Promise<void> {
    return this.#closing ??= this.#drain();
  }

  async #drain(): Promise<void> {
    this.#forgetRequests();
    clearInterval(this.#progress);
    for (const message of this.#unread.splice(0)) message.nak();
    this.#arrival.resolve();
    const late = new AbortController();
    await Promise.race([
      this.#subscription?.drain(),
      delay(DRAIN_MS, undefined, { signal: late.signal }),
    ]).catch(() => undefined);
    late.abort();
    this.#subscription?.unsubscribe();
  }

  /** The broker's value counts: an operator may have set another time than the plan's. */
  async #readAckWait(): Promise<void> {
    const { plan } = this.#options;
    const consumer = await this.#client.stream.consumers.get(plan.stream, plan.name);
    const { config } = await consumer.info(true);
    this.#ackWaitMs = millis(config.ack_wait ?? nanos(plan.ackWaitMs));
    clearInterval(this.#progress);
    if (this.#closing !== undefined) return;
    this.#progress = setInterval(() => {
      for (const message of this.#unread) message.working();
    }, this.#ackWaitMs / 3);
  }

  /** Asks for events if there is space for some. */
  #ask(): void {
    const { plan } = this.#options;
    const space = this.#options.space();
    const batch = space - this.#unread.length - this.#awaited();
    if (this.#closing !== undefined || batch < Math.max(1, space * MIN_BATCH_SHARE)) return;
    const inbox = `${this.#inbox}.${++this.#asked}`;
    this.#open(inbox, { left: batch, timeoutMs: EXPIRES_MS + ANSWER_MS });
    const { connection, stream: { apiPrefix } } = this.#client;
    try {
      if (this.#subscription?.isClosed() !== false) {
        const callback = this.#hear;
        this.#subscription = connection.subscribe(`${this.#inbox}.*`, { callback });
      }
      connection.publish(
        `${apiPrefix}.CONSUMER.MSG.NEXT.${plan.stream}.${plan.name}`,
        JSON.stringify({ batch, expires: nanos(EXPIRES_MS) }),
        { reply: inbox },
      );
    } catch (error) {
      this.#retry(error);
    }
  }

  readonly #hear = (error: unknown, message: Msg): void => {
    if (error) return this.#retry(error);
    const { code = 0, description = "" } = message.headers ?? {};
    if (code === 0) this.#keep(message);
    // The end of a request that counts as lost has no meaning.
    else if (!this.#requests.has(message.subject)) return;
    else if (code === 408) this.#end(message.subject);
    else this.#retry(new Error(`${code} ${description}`));
  };

  #keep(raw: Msg): void {
    const message = openEventMessage(raw, this.#ackWaitMs);
    if (this.#closing !== undefined) return message.nak();
    this.#unread.push(message);
    this.#arrival.resolve();
    // The broker does not tell of which request it is. If it is of another, time ends the oldest.
    const [oldest] = this.#requests;
    if (oldest !== undefined && --oldest[1].left === 0) this.#end(oldest[0]);
    if (!this.#wasLost) return;
    this.#wasLost = false;
    // The consumer may have been made again meanwhile.
    this.#readAckWait().catch((error) => this.#warn(error));
  }

  /** Asks for nothing for a while, as if a request were open. */
  #retry(error: unknown): void {
    if (this.#closing !== undefined) return;
    this.#warn(error);
    this.#wasLost = true;
    this.#forgetRequests();
    this.#open("pause", { left: Infinity, timeoutMs: RETRY_MS });
  }

  #awaited(): number {
    return this.#requests.values().reduce((sum, { left }) => sum + left, 0);
  }

  #open(inbox: string, { left, timeoutMs }: { left: number; timeoutMs: number }): void {
    this.#requests.set(inbox, { left, limit: openTimeLimit(timeoutMs, () => this.#end(inbox)) });
  }

  #end(inbox: string): void {
    this.#requests.get(inbox)?.limit[Symbol.dispose]();
    this.#requests.delete(inbox);
    this.#ask();
  }

  #forgetRequests(): void {
    for (const { limit } of this.#requests.values()) limit[Symbol.dispose]();
    this.#requests.clear();
  }

  #warn(error: unknown): void {
    const { plan, logger } = this.#options;
    logger.warn("Cannot pull events, retrying", { consumer: plan.name, error });
  }
}
