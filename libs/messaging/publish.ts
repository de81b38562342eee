import type { JetStreamClient } from "@nats-io/jetstream";
import { MAX_EVENT_BYTES } from "@posthaste/contracts";
import { count, injectTrace, type TraceCarrier } from "@posthaste/telemetry";
import { REPLY_HEADER, traceHeaders } from "./_headers.ts";
import type { Outgoing } from "./step.ts";
import { scheduleOf, subjectOf } from "./topology.ts";

/** Options of {@linkcode publishEvent}. */
export interface PublishOptions {
  /**
   * The same id within two minutes is published once. It shields against a repeated publish only:
   * the broker forgets ids when it restarts, and the ledger is what keeps mail from going out twice.
   */
  id?: string;
  /** The trace that the event belongs to. @default the current one */
  trace?: TraceCarrier;
  /** Inbox of whoever waits for the answer. */
  replyTo?: string;
}

const PUBLISH_TIMEOUT_MS = 5000;
const PUBLISH_RETRIES = 2;
const encoder = new TextEncoder();

/**
 * Publishes an event and waits until the broker has stored it. One that is to wait is stored as a
 * message schedule, and its trace and data come out of it at its time.
 *
 * @throws {RangeError} If the event exceeds 512 KiB.
 * @throws If the broker did not confirm in 5 s: it may or may not have it.
 */
export async function publishEvent(
  client: JetStreamClient,
  outgoing: Outgoing,
  options: PublishOptions = {},
): Promise<void> {
  const body = encoder.encode(JSON.stringify(outgoing.data));
  if (body.length > MAX_EVENT_BYTES) {
    throw new RangeError(
      `Cannot publish "${outgoing.type}": ${body.length} bytes exceed ${MAX_EVENT_BYTES}`,
    );
  }
  const headers = traceHeaders(options.trace ?? injectTrace());
  if (options.replyTo !== undefined) headers.set(REPLY_HEADER, options.replyTo);
  const { subject, ...schedule } = routeOf(outgoing);
  await client.publish(subject, body, {
    headers,
    timeout: PUBLISH_TIMEOUT_MS,
    retries: PUBLISH_RETRIES,
    ...schedule,
    ...(options.id === undefined ? {} : { msgID: options.id }),
  });
  count("messaging.client.sent.messages", 1, { "messaging.destination.name": outgoing.type });
}

function routeOf(outgoing: Outgoing) {
  if (outgoing.type !== "send.resumed" || outgoing.notBefore === undefined) {
    return { subject: subjectOf(outgoing.type, outgoing.data as object) };
  }
  const { subject, target } = scheduleOf(outgoing.data);
  return { subject, schedule: { specification: outgoing.notBefore, target } };
}
