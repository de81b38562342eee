import type { JsMsg } from "@nats-io/jetstream";
import { millis, nanos } from "@nats-io/nats-core";
import { drainMessages } from "./_drain_messages.ts";
import type { EventClient } from "./_event_client.ts";
import type { ConsumerPlan } from "./topology.ts";

/** Events that the broker hands over until a signal aborts. To be disposed when they are read. */
export interface Pull extends Disposable {
  /**
   * Ends with all events that were on their way when the pull ended.
   *
   * @throws If the consumer or its stream no longer exists
   */
  messages: AsyncIterable<JsMsg>;
  /** Time after which an event is redelivered, in milliseconds. */
  ackWaitMs: number;
  /** Waits while no event is read. A pull that is not read for 2 s ends. */
  pauseFor<T>(work: Promise<T>): Promise<T>;
}

/** Options of {@linkcode openPull}. */
export interface PullOptions {
  plan: ConsumerPlan;
  /** Maximum number of events on their way and not read yet. */
  maxMessages: number;
  /** Ends the pull. */
  signal: AbortSignal;
}

const PULL_EXPIRES_MS = 5000;

/**
 * The client asks for events as they are read. While none is read, it hears no heartbeat, takes its requests for lost,
 * and asks for as many events again, every 5 s: they would all wait in this process.
 */
const MAX_PAUSE_MS = 2000;

/** Starts to pull events. @throws If the broker or the consumer is not there */
export async function openPull(
  { stream }: EventClient,
  { plan, maxMessages, signal }: PullOptions,
): Promise<Pull> {
  const consumer = await stream.consumers.get(plan.stream, plan.name);
  // The broker's value counts: an operator may have set another time than the plan's.
  const { config } = await consumer.info(true);
  const messages = await consumer.consume({
    max_messages: maxMessages,
    expires: PULL_EXPIRES_MS,
    abort_on_missing_resource: true,
  });
  const stop = () => void drainMessages(messages);
  signal.addEventListener("abort", stop, { once: true });
  // It may have aborted while the consumer was looked up.
  if (signal.aborted) stop();
  return {
    messages,
    ackWaitMs: millis(config.ack_wait ?? nanos(plan.ackWaitMs)),
    async pauseFor(work) {
      const late = setTimeout(stop, MAX_PAUSE_MS);
      try {
        return await work;
      } finally {
        clearTimeout(late);
      }
    },
    [Symbol.dispose]: () => signal.removeEventListener("abort", stop),
  };
}
