import { DeliverPolicy, type JetStreamClient } from "@nats-io/jetstream";
import { EVENTS, type StatusEventType } from "@posthaste/contracts";
import { type StatusEvent, statusEventsIn } from "./report_status_events.ts";
import type { Outgoing } from "./step.ts";

/** Which status events to read. */
export interface PastStatusEventsOptions {
  /** Those that were stored at this time or later. */
  since: Date;
  /** Only these. */
  types: readonly StatusEventType[];
}

/** Time without an event after which the broker is asked whether there are more. */
const QUIET_MS = 5000;

/**
 * Reads the status events that the broker still holds, independently of all followers. For processes that must
 * know what happened after the present ledger was written. Unreadable events are left out.
 *
 * The broker pushes them: through the operator's prefix of its interface, a pull gets only one message
 * (nats-io/nats.java#1481).
 *
 * @throws {Error} If no more events arrive before the end.
 */
export async function* pastStatusEvents(
  client: JetStreamClient,
  { since, types }: PastStatusEventsOptions,
): AsyncGenerator<StatusEvent> {
  const consumer = await client.consumers.getPushConsumer("STATUS", {
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
    filter_subjects: [...types],
  });
  const messages = await consumer.consume();
  const stop = () => void messages.close();
  let { num_pending: left } = await consumer.info(true);
  let received = 0;
  let quiet = setTimeout(stop, left === 0 ? 0 : QUIET_MS);
  try {
    for await (const message of messages) {
      clearTimeout(quiet);
      ({ pending: left, deliverySequence: received } = message.info);
      yield* statusEventsOf(message);
      quiet = setTimeout(stop, left === 0 ? 0 : QUIET_MS);
    }
    if (left > 0) {
      const { num_pending: unsent, delivered } = await consumer.info();
      // What was sent may still be on its way. Otherwise they have expired meanwhile.
      if (unsent > 0 || delivered.consumer_seq > received) {
        throw new Error("The broker sent no more of its status events");
      }
    }
  } finally {
    clearTimeout(quiet);
    stop();
    // A consumer that is gone must not hide the reason, and one that stays ends by itself.
    await consumer.delete().catch(() => undefined);
  }
}

function statusEventsOf(message: { subject: string; json(): unknown }): StatusEvent[] {
  const type = message.subject as StatusEventType;
  const result = Object.hasOwn(EVENTS, type) ? EVENTS[type].safeParse(jsonOf(message)) : null;
  return result?.success ? statusEventsIn({ type, data: result.data } as Outgoing) : [];
}

function jsonOf(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
