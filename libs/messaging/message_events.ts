import { type EventData, MAX_EVENT_BYTES } from "@posthaste/contracts";
import { jsonBytes, splitBySize } from "./split_by_size.ts";
import type { Outgoing } from "./step.ts";
import { closeTail, placeParts, type WithBytes } from "./tail.ts";

/** Events that carry messages through the pipeline. */
export type MessagesEvent = "messages.rendered" | "messages.printed";

/** A message on its way into such an event. */
export type CarriedMessage<T extends MessagesEvent> = WithBytes<EventData<T>["messages"][number]>;

/** The fields of such an event about its send. */
export type MessagesHead<T extends MessagesEvent> = Omit<EventData<T>, "messages">;

/** Space for the fields of an event about its send, in bytes. */
const HEAD_BYTES = 8 * 1024;

/** Space for messages in an event, in bytes. */
const ROOM_BYTES = MAX_EVENT_BYTES - HEAD_BYTES;

/** Returns whether an event has room for a message. */
export function fitsEvent<T extends MessagesEvent>(message: CarriedMessage<T>): boolean {
  return weightOf(message) <= ROOM_BYTES;
}

/** Returns the events that carry messages on, with at most `maxCount` in each. */
export function messageEvents<T extends MessagesEvent>(
  type: T,
  head: MessagesHead<T>,
  { messages, maxCount }: { messages: readonly CarriedMessage<T>[]; maxCount: number },
): Outgoing[] {
  return splitBySize(messages, { maxCount, maxBytes: ROOM_BYTES, sizeOf: weightOf })
    .map((part) => {
      const { messages, ...carried } = closeTail(part);
      return { type, data: { ...head, messages }, ...carried } as Outgoing;
    });
}

/** Returns the bytes of a message in an event: its JSON, and its part of the tail. */
function weightOf(message: object): number {
  const { placed: [placed], size } = placeParts([message]);
  return jsonBytes(placed) + size;
}
