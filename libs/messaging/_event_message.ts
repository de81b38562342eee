import type { DeliveryInfo, JsMsg } from "@nats-io/jetstream";
import { type Msg, nanos } from "@nats-io/nats-core";

/** An event as the broker delivered it. Only its first acknowledgement counts. */
export interface EventMessage
  extends
    Pick<JsMsg, "subject" | "headers" | "data" | "json" | "ack" | "nak" | "term" | "working"> {
  /** What the broker reports about the event and its delivery. */
  info: Pick<DeliveryInfo, "stream" | "streamSequence" | "timestampNanos" | "deliveryCount">;
  /**
   * Its key, also in redeliveries: its tries are counted by it, and the ids of its results contain it. A stream that
   * is made again uses its numbers again.
   */
  key: string;
}

/** Reads an event as it was delivered. */
export function openEventMessage(message: Msg): EventMessage {
  const info = deliveryOf(message.reply ?? "");
  let isAcknowledged = false;
  const acknowledge = (answer: string) => {
    if (!isAcknowledged) message.respond(answer);
    isAcknowledged = true;
  };
  return {
    subject: message.subject,
    headers: message.headers,
    data: message.data,
    json: () => message.json(),
    info,
    key: `${info.stream}.${info.streamSequence}.${info.timestampNanos}`,
    ack: () => acknowledge("+ACK"),
    nak(delayMs) {
      const delay = delayMs === undefined ? "" : ` ${JSON.stringify({ delay: nanos(delayMs) })}`;
      acknowledge(`-NAK${delay}`);
    },
    term: (reason) => acknowledge(reason === undefined ? "+TERM" : `+TERM ${reason}`),
    working() {
      if (!isAcknowledged) message.respond("+WPI");
    },
  };
}

/**
 * Reads the subject to which an event is acknowledged
 * ([ADR-15](https://github.com/nats-io/nats-architecture-and-design/blob/main/adr/ADR-15.md)): `$JS.ACK`, then
 * stream, consumer, number of deliveries, the event's number in the stream and in the consumer, time in nanoseconds,
 * and number of pending events. The longer form has domain and account before the stream; the services' permissions
 * do not cover it.
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
