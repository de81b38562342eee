import { createInbox, millis, type Msg, nanos } from "@nats-io/nats-core";
import { answerWithin, openTimeLimit, pause } from "@posthaste/runtime";
import type { Logger } from "@posthaste/telemetry";
import type { EventClient } from "./_event_client.ts";
import { type EventMessage, openEventMessage } from "./_event_message.ts";
import type { HeldEvents } from "./_held_events.ts";
import { type OpenRequest, OpenRequests } from "./_open_requests.ts";
import type { ConsumerPlan } from "./topology.ts";

/** Options of {@linkcode pullEvents}. */
export interface PullOptions {
  plan: ConsumerPlan;
  /**
   * Returns how many events may be asked for or unread at this moment, at least 1. After a reconnection there may be
   * twice as many.
   */
  space: () => number;
  /** Holds every event that arrives. The reader ends those that it has read. */
  held: HeldEvents;
  /** Ends the pull. Events that are not read yet are given back. */
  signal: AbortSignal;
  logger: Logger;
}

/** A request for events ends after this. The broker then answers with 408. */
const EXPIRES_MS = 5000;
/** Time for that answer. A request that has neither brought all nor been answered by then is lost, or late. */
const ANSWER_MS = 1000;
/** Wait after a refusal. */
const RETRY_MS = 500;
/** Smallest request, as a share of the space at that moment: fewer requests for many events. */
const MIN_BATCH_SHARE = 1 / 4;
/** Longest wait at the end for events that are on their way: a broker that hangs must not keep a process. */
const DRAIN_MS = 1000;

/**
 * Pulls events from a consumer until the signal aborts, and waits for an unavailable broker or consumer.
 *
 * The client's own `consume()` asks for events as they are read, takes its silence meanwhile for lost requests, and
 * repeats them without bound. Its `fetch()` drops what is on its way when it ends. This pull asks for as many events
 * as it has space for, and listens until it ends
 * ([ADR-13](https://github.com/nats-io/nats-architecture-and-design/blob/main/adr/ADR-13.md)). An event that is on
 * its way when the connection is cut is redelivered after the ack wait. So is one that the broker sends at the moment
 * at which the pull ends.
 */
export async function* pullEvents(
  client: EventClient,
  options: PullOptions,
): AsyncGenerator<EventMessage> {
  const { signal } = options;
  const pull = new Pull(client, options);
  const stop = () => void pull.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await pull.start();
    client.reconnects.add(pull.renew);
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

/** Events that have arrived and are not read, and when others are asked for. */
class Pull {
  readonly #client: EventClient;
  readonly #options: PullOptions;
  readonly #unread: EventMessage[] = [];
  readonly #requests = new OpenRequests();
  #arrival = Promise.withResolvers<void>();
  /** Set while nothing is asked for after a refusal. */
  #pause: Disposable | undefined;
  /** Whether the consumer may have been made again since its ack wait was read. */
  #wasLost = false;
  #closing: Promise<void> | undefined;

  constructor(client: EventClient, options: PullOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Waits for the consumer. */
  async start(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        return await this.#readAckWait();
      } catch (error) {
        this.#warn(error);
        await pause(RETRY_MS, signal);
      }
    }
  }

  /** Takes an event that has arrived, if any, and asks for more. `space` counts the event before it by now. */
  take(): EventMessage | undefined {
    this.#ask();
    return this.#unread.shift();
  }

  /** Resolves when an event arrives, or at the end. */
  arrival(): Promise<void> {
    this.#arrival = Promise.withResolvers();
    return this.#arrival.promise;
  }

  /** Asks again, because the broker may have lost all requests. */
  readonly renew = (): void => {
    this.#wasLost = true;
    this.#requests.expectLoss();
    this.#endPause();
  };

  /** Ends the pull. What is not read, and what is on its way, goes back to the broker. */
  close(): Promise<void> {
    return this.#closing ??= this.#drain();
  }

  async #drain(): Promise<void> {
    this.#pause?.[Symbol.dispose]();
    // Unsubscribes first: the broker would deliver here again what is given back.
    const drained = this.#requests.drain();
    for (const message of this.#unread.splice(0)) this.#giveBack(message);
    this.#arrival.resolve();
    try {
      await answerWithin(DRAIN_MS, drained);
    } catch {
      // The broker hangs.
    }
  }

  /** The broker's value counts: an operator may have set another time than the plan's. */
  async #readAckWait(): Promise<void> {
    const { plan, held } = this.#options;
    const consumer = await this.#client.stream.consumers.get(plan.stream, plan.name);
    const { config } = await consumer.info(true);
    if (this.#closing === undefined) {
      held.reportWithin(millis(config.ack_wait ?? nanos(plan.ackWaitMs)));
    }
  }

  /** Asks for events if there is space for some. */
  #ask(): void {
    if (this.#closing !== undefined || this.#pause !== undefined) return;
    const space = this.#options.space();
    const { awaited, possible } = this.#requests;
    // Reconnections in a row must not add up: the broker may hold the requests of each.
    const batch = Math.min(space - awaited, 2 * space - possible) - this.#unread.length;
    if (batch < Math.max(1, space * MIN_BATCH_SHARE)) return;
    try {
      this.#request(batch);
    } catch (error) {
      this.#retry(error);
    }
  }

  #request(batch: number): void {
    const { connection, stream: { apiPrefix }, inboxPrefix } = this.#client;
    const { plan } = this.#options;
    const inbox = createInbox(inboxPrefix);
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => this.#receive(request, error, message),
    });
    const timeoutMs = EXPIRES_MS + ANSWER_MS;
    const request = this.#requests.add(subscription, {
      ...{ batch, timeoutMs },
      onLate: () => this.#ask(),
    });
    connection.publish(
      `${apiPrefix}.CONSUMER.MSG.NEXT.${plan.stream}.${plan.name}`,
      JSON.stringify({ batch, expires: nanos(EXPIRES_MS) }),
      { reply: inbox },
    );
  }

  #receive(request: OpenRequest, error: unknown, message: Msg): void {
    if (!error && message.subject !== request.subscription.getSubject()) {
      return this.#keep(request, message);
    }
    this.#requests.end(request);
    if (error) return this.#retry(error);
    const { code, description } = message.headers ?? {};
    if (code === 408) this.#ask();
    else this.#retry(new Error(`${code} ${description}`));
  }

  #keep(request: OpenRequest, raw: Msg): void {
    this.#requests.countEvent(request);
    const message = this.#read(raw);
    if (message === undefined) return this.#ask();
    if (this.#options.held.add(message)) this.#deliver(message);
    this.#ask();
    if (!this.#wasLost || this.#closing !== undefined) return;
    this.#wasLost = false;
    this.#readAckWait().catch((error) => {
      this.#wasLost = true;
      this.#warn(error);
    });
  }

  #deliver(message: EventMessage): void {
    if (this.#closing !== undefined) return this.#giveBack(message);
    this.#unread.push(message);
    this.#arrival.resolve();
  }

  #giveBack(message: EventMessage): void {
    message.nak();
    this.#options.held.end(message);
  }

  /** Ends an event with a header that nobody can read. The client would close the connection for its error. */
  #read(raw: Msg): EventMessage | undefined {
    try {
      return openEventMessage(raw);
    } catch (error) {
      const { plan, logger } = this.#options;
      logger.error("Cannot read an event, giving up", { consumer: plan.name, error });
      raw.respond("+TERM unreadable");
      return undefined;
    }
  }

  /** Asks for nothing for a while. Requests that are still open may bring events. */
  #retry(error: unknown): void {
    if (this.#closing !== undefined || this.#pause !== undefined) return;
    this.#warn(error);
    this.#wasLost = true;
    this.#pause = openTimeLimit(RETRY_MS, () => this.#endPause());
  }

  #endPause(): void {
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
    this.#ask();
  }

  #warn(error: unknown): void {
    const { plan, logger } = this.#options;
    logger.warn("Cannot pull events, retrying", { consumer: plan.name, error });
  }
}
