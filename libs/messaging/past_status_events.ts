import {
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
} from "@nats-io/jetstream";
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

/** A sent mail, as its status event reports it. */
export interface SentMail {
  accountId: string;
  messageId: string;
  at: Date;
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

/** Returns the last sent mail whose status event the broker still holds; `undefined` if there is none. */
export async function lastSent(manager: JetStreamManager): Promise<SentMail | undefined> {
  try {
    const message = await manager.streams.getMessage("STATUS", {
      last_by_subj: "status.message.sent",
    });
    const statusEvent = message === null ? undefined : statusEventsOf(message).at(-1);
    if (statusEvent?.type !== "status.message.sent") return undefined;
    const { accountId, messageId, at } = statusEvent.data;
    return { accountId, messageId, at: new Date(at) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const codes: number[] = [JetStreamApiCodes.NoMessageFound, JetStreamApiCodes.StreamNotFound];
  return error instanceof JetStreamApiError && codes.includes(error.code);
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
