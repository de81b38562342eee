import type { ConsumerMessages } from "@nats-io/jetstream";
import type { Subscription } from "@nats-io/nats-core";
import { setTimeout as delay } from "node:timers/promises";

// A broker that hangs must not keep a process from ending.
const LONGEST_MS = 1000;

/**
 * Ends a pull, so that what the broker has sent by then is still handed over. Takes at most 2 s and
 * never throws. The client's own `close` drops what is on its way, and that would come again only
 * when its ack wait has passed.
 */
export async function drainMessages(messages: ConsumerMessages): Promise<void> {
  // The types hide it; the client itself ends a pull so when its connection is drained. Should it be
  // gone one day, what is on its way comes again after its ack wait: slower, and not lost.
  const { sub } = messages as unknown as { sub?: Partial<Pick<Subscription, "drain">> };
  await inTime(() => sub?.drain?.());
  await inTime(() => messages.close());
}

/** Waits for the work at most as long as a stop may take; that it fails is nothing to wait for. */
async function inTime(work: () => Promise<unknown> | undefined): Promise<void> {
  const late = new AbortController();
  try {
    await Promise.race([work(), delay(LONGEST_MS, undefined, { signal: late.signal })]);
  } catch {
    // The connection is closed: there is nothing left to come.
  } finally {
    late.abort();
  }
}
