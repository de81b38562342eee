import type { JetStreamClient } from "@nats-io/jetstream";
import { InvalidArgumentError } from "@nats-io/nats-core";
import { MAX_EVENT_BYTES } from "@posthaste/contracts";
import {
  count,
  errorType,
  injectTrace,
  recordDuration,
  type TraceCarrier,
} from "@posthaste/telemetry";
import { REPLY_HEADER, TAIL_HEADER, traceHeaders } from "./_headers.ts";
import type { Outgoing } from "./step.ts";
import { subjectOf } from "./topology.ts";

/** Options of {@linkcode publishEvent}. */
export interface PublishOptions {
  /**
   * An id that repeats within two minutes is published once. This guards against a repeated publish only: the
   * broker forgets ids when it restarts. The ledger is what prevents a second send.
   */
  id?: string;
  /** The trace that the event belongs to. @default the current one */
  trace?: TraceCarrier;
  /** Other traces that the event belongs to. */
  links?: readonly TraceCarrier[];
  /** Inbox for the answer. */
  replyTo?: string;
  /** Time for the broker to confirm, without a retry. @default twice 5 s */
  timeoutMs?: number;
}

const PUBLISH_TIMEOUT_MS = 5000;
const PUBLISH_TRIES = 2;
const encoder = new TextEncoder();

/**
 * Publishes an event and waits until the broker has stored it.
 *
 * @throws {RangeError} If the event exceeds 512 KiB, or what the broker takes.
 * @throws An outage (`errorType` "unavailable" or "timeout") if the broker is away, full, without the
 * stream, or did not confirm in time: it may or may not have the event.
 */
export async function publishEvent(
  client: JetStreamClient,
  outgoing: Outgoing,
  options: PublishOptions = {},
): Promise<void> {
  const json = encoder.encode(JSON.stringify(outgoing.data));
  const body = outgoing.tail === undefined ? json : Buffer.concat([json, outgoing.tail]);
  if (body.length > MAX_EVENT_BYTES) {
    throw new RangeError(
      `Cannot publish "${outgoing.type}": ${body.length} bytes exceed ${MAX_EVENT_BYTES}`,
    );
  }
  const headers = traceHeaders(options.trace ?? injectTrace(), options.links);
  if (options.replyTo !== undefined) headers.set(REPLY_HEADER, options.replyTo);
  if (outgoing.tail !== undefined) headers.set(TAIL_HEADER, String(outgoing.tail.length));
  const subject = subjectOf(outgoing.type, outgoing.data as object);
  const attributes = {
    "messaging.system": "nats",
    "messaging.destination.name": outgoing.type,
    "messaging.operation.name": "publish",
    "messaging.operation.type": "send",
  };
  const started = performance.now();
  const secondsSince = () => (performance.now() - started) / 1000;
  try {
    await client.publish(subject, body, {
      headers,
      timeout: options.timeoutMs ?? PUBLISH_TIMEOUT_MS,
      retries: options.timeoutMs === undefined ? PUBLISH_TRIES : 1,
      ...(options.id === undefined ? {} : { msgID: options.id }),
    });
  } catch (error) {
    const failure = { ...attributes, "error.type": errorType(error) };
    recordDuration("messaging.client.operation.duration", secondsSince(), failure);
    throw publishError(outgoing.type, error);
  }
  recordDuration("messaging.client.operation.duration", secondsSince(), attributes);
  count("messaging.client.sent.messages", 1, attributes);
}

function publishError(type: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  const message = `Cannot publish "${type}": ${reason}`;
  // A fault of the event itself repeats every time.
  if (cause instanceof RangeError || cause instanceof InvalidArgumentError) {
    return new RangeError(message, { cause });
  }
  const known = errorType(cause);
  return Object.assign(new Error(message, { cause }), {
    errorType: known === "timeout" ? known : "unavailable",
  });
}
