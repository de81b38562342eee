import type { ConsumerMessages } from "@nats-io/jetstream";
import type { Subscription } from "@nats-io/nats-core";
import { setTimeout as delay } from "node:timers/promises";

// A broker that hangs must not keep a process from ending.
const LONGEST_MS = 1000;

/**
 * Ends a pull after it has handed over everything that the broker sent until then. Takes at most 2 s and
 * never throws. The client's own `close` would drop what is in transit, and the broker would redeliver it
 * only after its ack wait.
 */
export async function drainMessages(messages: ConsumerMessages): Promise<void> {
  // The types hide this method, with which the client itself ends a pull when it drains. If it disappears one
  // day, events in transit are redelivered after their ack wait: later, but not lost.
  const { sub } = messages as unknown as { sub?: Partial<Pick<Subscription, "drain">> };
  await inTime(() => sub?.drain?.());
  await inTime(() => messages.close());
}

/** Waits for work, but no longer than a stop may take. Its failure ends the wait too. */
async function inTime(work: () => Promise<unknown> | undefined): Promise<void> {
  const late = new AbortController();
  try {
    await Promise.race([work(), delay(LONGEST_MS, undefined, { signal: late.signal })]);
  } catch {
    // The connection is closed: no event can arrive any more.
  } finally {
    late.abort();
  }
}
