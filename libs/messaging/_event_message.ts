import type { DeliveryInfo, JsMsg } from "@nats-io/jetstream";
import { type Msg, nanos } from "@nats-io/nats-core";

/** An event as the broker delivered it. Only its first acknowledgement counts. */
export interface EventMessage
  extends
    Pick<JsMsg, "subject" | "headers" | "data" | "json" | "ack" | "nak" | "term" | "working"> {
  /** What the broker says of the event and of its delivery. */
  info: Pick<DeliveryInfo, "stream" | "streamSequence" | "timestampNanos" | "deliveryCount">;
  /** Time after which it is redelivered if it is neither acknowledged nor reported as in progress, in milliseconds. */
  ackWaitMs: number;
}

/** Reads an event that was delivered with an ack wait. */
export function openEventMessage(message: Msg, ackWaitMs: number): EventMessage {
  let isSettled = false;
  const settle = (answer: string) => {
    if (!isSettled) message.respond(answer);
    isSettled = true;
  };
  return {
    subject: message.subject,
    headers: message.headers,
    data: message.data,
    json: () => message.json(),
    info: deliveryOf(message.reply ?? ""),
    ackWaitMs,
    ack: () => settle("+ACK"),
    nak: (delayMs) =>
      settle(delayMs === undefined ? "-NAK" : `-NAK ${JSON.stringify({ delay: nanos(delayMs) })}`),
    term: (reason) => settle(reason === undefined ? "+TERM" : `+TERM ${reason}`),
    working: () => void (isSettled || message.respond("+WPI")),
  };
}

/**
 * Reads the subject of an acknowledgement (ADR-15): `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.
 * <consumer sequence>.<time>.<pending>`, in newer brokers with `<domain>.<account>` before the stream.
 */
function deliveryOf(reply: string): EventMessage["info"] {
  const parts = reply.split(".");
  const [stream = "", , deliveries, streamSequence, , time] = parts.slice(
    parts.length === 9 ? 2 : 4,
  );
  return {
    stream,
    streamSequence: Number(streamSequence),
    timestampNanos: Number(time),
    deliveryCount: Number(deliveries),
  };
}
