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

const AT_ONCE = 500;
const PULL_EXPIRES_MS = 5000;

/**
 * Reads the status events that the broker still holds, up to three days, independently of all followers. For
 * processes that must know what happened after the present ledger was written. Unreadable events are left
 * out.
 */
export async function* pastStatusEvents(
  client: JetStreamClient,
  { since, types }: PastStatusEventsOptions,
): AsyncGenerator<StatusEvent> {
  const consumer = await client.consumers.get("STATUS", {
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
    filter_subjects: [...types],
  });
  let { num_pending: left } = await consumer.info();
  while (left > 0) {
    const batch = await consumer.fetch({ max_messages: AT_ONCE, expires: PULL_EXPIRES_MS });
    let received = 0;
    for await (const message of batch) {
      received++;
      left = message.info.pending;
      yield* statusEventsOf(message);
      if (left === 0) break;
    }
    // They may have expired meanwhile.
    if (received === 0) return;
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
