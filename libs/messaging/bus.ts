import { jetstream, jetstreamManager, type JetStreamManagerOptions } from "@nats-io/jetstream";
import { type Msg, type NatsConnection } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import {
  type AskedType,
  type EventData,
  type EventType,
  type Priority,
  REPLIES,
  type ReplyTo,
} from "@posthaste/contracts";
import { onceThere, type Waiting } from "@posthaste/runtime";
import type { TraceCarrier } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import { type AnswerOptions, type Answers, openAsks } from "./_asks.ts";
import { consume, type ConsumeOptions } from "./consume.ts";
import type { EventClient } from "./_event_client.ts";
import { brokerAddress, brokerApi } from "./broker_address.ts";
import { applyTopology, type TopologyOptions } from "./apply_topology.ts";
import { dropPassed, findPassed, type Passed } from "./_drop_passed.ts";
import { emptyQueues } from "./empty_queues.ts";
import {
  type FollowOptions,
  followStatusEvents,
  type StatusEvent,
} from "./follow_status_events.ts";
import { type Fill, fillsOf } from "./fill.ts";
import { MissingStreamsError } from "./missing_streams_error.ts";
import { type ObjectStore, openObjectStore } from "./object_store.ts";
import { pastStatusEvents, type PastStatusEventsOptions } from "./past_status_events.ts";
import { forgetRenewals, lastRenewal, type LeaseRenewal } from "./lease_renewal.ts";
import { openPoisonMessages } from "./_poison_messages.ts";
import { inboxPrefixOf, printsOf, repliesOf } from "./permissions.ts";
import { publishEvent, type PublishOptions } from "./publish.ts";
import { findQueueAges, type QueueAge } from "./queue_ages.ts";
import type { Outgoing, Step } from "./step.ts";
import { CONSUMERS, type StoreName, STREAMS } from "./topology.ts";

/** What a stream holds. */
export interface StreamState {
  messages: number;
  /** When the oldest event in it was stored; null when it is empty. */
  oldestAt: Date | null;
}

/** What waits in the queue of a consumer. */
export interface QueueState {
  /** Name of the consumer, as in {@linkcode CONSUMERS}. */
  consumer: string;
  stream: string;
  /** Left out where there are no priorities. */
  priority?: Priority | undefined;
  /** Events that no worker has taken yet. */
  waiting: number;
  /** Events that workers hold: in flight, or read ahead. */
  inFlight: number;
}

/** The outcome of a question with several askers. */
export interface Asked<T> {
  /** The answers by position; `undefined` when none arrived in time. They reject as `stored` does. */
  answers: readonly Promise<T | undefined>[];
  /** Resolves when the broker has the question; the answers do not wait for that. */
  stored: Promise<void>;
}

/** Options of several questions in one event. */
export interface AskOptions extends AnswerOptions {
  /** The trace of each question: the event continues the first, and links to the others. @default the current one */
  traces?: readonly TraceCarrier[];
}

/** A connection to the broker. */
export interface Bus extends AsyncDisposable {
  /** {@linkcode publishEvent} */
  publish(outgoing: Outgoing, options?: PublishOptions): Promise<void>;
  /**
   * Asks a question and waits for the answer; `undefined` when none arrived in time.
   *
   * @throws An outage, within 2 s, if the broker does not take the request.
   */
  ask<T extends AskedType>(
    type: T,
    data: EventData<T>,
    options: { timeoutMs: number },
  ): Promise<ReplyTo<T> | undefined>;
  /** Asks several questions with one event. Each has an answer, as with {@linkcode ask}. */
  askForEach<T extends AskedType>(
    type: T,
    data: EventData<T>,
    options: AskOptions,
  ): Asked<ReplyTo<T>>;
  /** {@linkcode consume} */
  consume<T extends EventType>(step: Step<T>, options: ConsumeOptions): Promise<void>;
  /** {@linkcode followStatusEvents} */
  followStatusEvents(
    record: (statusEvents: StatusEvent[]) => Promise<void>,
    options: FollowOptions,
  ): Promise<void>;
  /** {@linkcode pastStatusEvents} */
  pastStatusEvents(options: PastStatusEventsOptions): AsyncIterable<StatusEvent>;
  /** {@linkcode lastRenewal} It answers, or throws, within a second. */
  lastRenewal(): Promise<LeaseRenewal | undefined>;
  /** {@linkcode forgetRenewals} */
  forgetRenewals(): Promise<void>;
  /** {@linkcode openObjectStore} */
  objects(name: StoreName): ObjectStore;
  /** {@linkcode applyTopology} */
  applyTopology(options?: TopologyOptions): Promise<void>;
  /** Returns what the streams hold, by name. Missing streams are left out. */
  streamStates(): Promise<Map<string, StreamState>>;
  /** {@linkcode findQueueAges} */
  queueAges(): Promise<QueueAge[]>;
  /** Returns what waits for the consumers of some streams. Missing ones are left out. */
  queueStates(streams: readonly string[]): Promise<QueueState[]>;
  /** Returns how full the streams and object stores are. Missing ones are left out. */
  fills(): Promise<Fill[]>;
  /** {@linkcode emptyQueues} */
  emptyQueues(): Promise<number>;
  /**
   * Removes work events that no consumer delivers any more because it counts them as done, if the same was
   * true at the previous call. Returns the number of removed events.
   */
  dropPassed(): Promise<number>;
  /** Resolves when the broker answers and has the streams. @throws {MissingStreamsError} If it lacks some. */
  check(): Promise<void>;
}

/** Options of {@linkcode openBus}. */
export interface BusOptions {
  /** `nats://user:password@host:port`, or several, with commas; see {@linkcode brokerApi}. */
  url: string;
  /** Shown in the broker's list of connections; answers come to inboxes under it. */
  name: string;
  /** Waits for a broker that is unavailable at the start. @default an error */
  waiting?: Waiting;
}

const RECONNECT_DELAY_MS = 500;

/**
 * Connects to the broker and stays connected: it reconnects for ever, after a refused login too, and
 * notices a dead connection within 15 s.
 *
 * @throws If the broker does not answer at first, within 10 s, and is not waited for.
 * @throws If it refuses the login at first: waiting does not help.
 */
export async function openBus(options: BusOptions): Promise<Bus> {
  const connection = await onceThere(() => connectOnce(options), {
    what: "the broker",
    waiting: options.waiting,
  });
  return new NatsBus(connection, {
    inboxPrefix: inboxPrefixOf(options.name),
    replies: repliesOf(options.name),
    prints: printsOf(options.name),
    api: brokerApi(options.url),
  });
}

function connectOnce({ url, name }: BusOptions): Promise<NatsConnection> {
  return connect({
    ...brokerAddress(url),
    name,
    inboxPrefix: inboxPrefixOf(name),
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_DELAY_MS,
    // Otherwise the second refusal in a row would close the connection for good.
    ignoreAuthErrorAbort: true,
    pingInterval: 5000,
    maxPingOut: 2,
    timeout: 10_000,
    // Requests get no stack for a possible failure: it would be half of their cost.
    noAsyncTraces: true,
  });
}

// A caller waits. If the broker does not confirm by then, the caller gets an error, and retries.
const ASK_TIMEOUT_MS = 1500;

// A lease must be renewed every 4 s.
const RENEWAL_TIMEOUT_MS = 1000;

const DRAIN_MS = 3000;

const APPLY_TIMEOUT_MS = 60_000;

interface NatsBusOptions {
  /** Subjects below which the process may listen: for anything, and for two kinds of answers. */
  inboxPrefix: string;
  replies: string;
  prints: string;
  api: JetStreamManagerOptions;
}

class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #client: EventClient;
  readonly #awaitAnswers: (options: AnswerOptions) => Answers;
  readonly #awaitPrints: (options: AnswerOptions) => Answers;
  readonly #api: JetStreamManagerOptions;
  #passed: Passed = new Map();

  constructor(
    connection: NatsConnection,
    { inboxPrefix, replies, prints, api }: NatsBusOptions,
  ) {
    this.#connection = connection;
    this.#awaitAnswers = openAsks(connection, replies);
    this.#awaitPrints = openAsks(connection, prints);
    // A service may not read the whole account, and does not need to.
    this.#api = { ...api, checkAPI: false };
    const stream = jetstream(connection, this.#api);
    const reconnects = new Set<() => void>();
    void callOnReconnect(connection, reconnects);
    this.#client = {
      ...{ connection, stream, inboxPrefix, reconnects },
      poisonMessages: openPoisonMessages(stream),
      respond: (inbox, position, reply) => {
        const bytes = Buffer.from(JSON.stringify(reply));
        const most = connection.info?.max_payload ?? Infinity;
        if (bytes.length > most) {
          throw new RangeError(
            `the response has ${bytes.length} bytes, more than the limit of ${most}`,
          );
        }
        connection.publish(`${inbox}.${position}`, bytes);
      },
    };
  }

  publish(outgoing: Outgoing, options?: PublishOptions): Promise<void> {
    return publishEvent(this.#client.stream, outgoing, options);
  }

  async ask<T extends AskedType>(
    type: T,
    data: EventData<T>,
    options: { timeoutMs: number },
  ): Promise<ReplyTo<T> | undefined> {
    const { answers: [answer] } = this.askForEach(type, data, { ...options, count: 1 });
    return await answer;
  }

  askForEach<T extends AskedType>(
    type: T,
    data: EventData<T>,
    { traces: [trace, ...links] = [], ...options }: AskOptions,
  ): Asked<ReplyTo<T>> {
    const open = type === "print.requested" ? this.#awaitPrints : this.#awaitAnswers;
    const answers = open(options);
    const stored = this.publish({ type, data } as Outgoing, {
      replyTo: answers.inbox,
      timeoutMs: Math.min(options.timeoutMs, ASK_TIMEOUT_MS),
      ...(trace === undefined ? {} : { trace, links }),
    });
    const failed = new Promise<never>((_, reject) => stored.catch(reject));
    // The answers report it.
    failed.catch(() => answers[Symbol.dispose]());
    const read = async (message: Promise<Msg | undefined>) => {
      const reply = await Promise.race([message, failed]);
      return reply === undefined ? undefined : REPLIES[type].parse(reply.json()) as ReplyTo<T>;
    };
    return { answers: answers.messages.map(read), stored };
  }

  consume<T extends EventType>(step: Step<T>, options: ConsumeOptions): Promise<void> {
    return consume(this.#client, step, options);
  }

  followStatusEvents(
    record: (statusEvents: StatusEvent[]) => Promise<void>,
    options: FollowOptions,
  ): Promise<void> {
    return followStatusEvents(this.#client, record, options);
  }

  pastStatusEvents(options: PastStatusEventsOptions): AsyncIterable<StatusEvent> {
    return pastStatusEvents(this.#client.stream, options);
  }

  async lastRenewal(): Promise<LeaseRenewal | undefined> {
    const api = { ...this.#api, timeout: RENEWAL_TIMEOUT_MS };
    return await lastRenewal(await jetstreamManager(this.#connection, api));
  }

  async forgetRenewals(): Promise<void> {
    await forgetRenewals(await jetstreamManager(this.#connection, this.#api));
  }

  objects(name: StoreName): ObjectStore {
    const { stream } = this.#client;
    return openObjectStore({ connection: this.#connection, stream, api: this.#api }, name);
  }

  async applyTopology(options?: TopologyOptions): Promise<void> {
    // A busy cluster answers later than the client waits, and a starting broker loses requests.
    const askUntil = performance.now() + APPLY_TIMEOUT_MS;
    for (;;) {
      try {
        return await applyTopology(this.#client.stream, options);
      } catch (error) {
        if (!isTimeout(error) || performance.now() > askUntil) throw error;
      }
    }
  }

  async streamStates(): Promise<Map<string, StreamState>> {
    const manager = await jetstreamManager(this.#connection, this.#api);
    const states = new Map<string, StreamState>();
    for await (const { config, state } of manager.streams.list()) {
      states.set(config.name, {
        messages: state.messages,
        oldestAt: state.messages === 0 ? null : new Date(state.first_ts),
      });
    }
    return states;
  }

  async queueAges(): Promise<QueueAge[]> {
    return await findQueueAges(await jetstreamManager(this.#connection, this.#api));
  }

  async queueStates(streams: readonly string[]): Promise<QueueState[]> {
    const manager = await jetstreamManager(this.#connection, this.#api);
    const found = await Promise.all(
      streams.map((stream) => Array.fromAsync(manager.consumers.list(stream))),
    );
    return found.flat().map(({ name, stream_name: stream, num_pending, num_ack_pending }) => ({
      consumer: name,
      stream,
      priority: CONSUMERS.find((plan) => plan.name === name)?.priority,
      waiting: num_pending,
      inFlight: num_ack_pending,
    }));
  }

  async fills(): Promise<Fill[]> {
    return await fillsOf(await jetstreamManager(this.#connection, this.#api));
  }

  async emptyQueues(): Promise<number> {
    return await emptyQueues(await jetstreamManager(this.#connection, this.#api));
  }

  async dropPassed(): Promise<number> {
    const manager = await jetstreamManager(this.#connection, this.#api);
    const earlier = this.#passed;
    this.#passed = await findPassed(manager);
    return await dropPassed(manager, { earlier, now: this.#passed });
  }

  async check(): Promise<void> {
    const states = await this.streamStates();
    const missing = STREAMS.filter(({ name }) => !states.has(name)).map(({ name }) => name);
    if (missing.length > 0) {
      throw new MissingStreamsError(missing);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A hung broker would hold the request until the connection counts as dead.
    const late = new AbortController();
    await Promise.race([
      this.#connection.drain(),
      delay(DRAIN_MS, undefined, { signal: late.signal }),
    ]).catch(() => undefined);
    late.abort();
    await this.#connection.close();
  }
}

/** Ends with the connection. */
async function callOnReconnect(
  connection: NatsConnection,
  callbacks: ReadonlySet<() => void>,
): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type !== "reconnect") continue;
    for (const callback of callbacks) callback();
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
