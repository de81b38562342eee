import { type EventData, MAX_EVENT_BYTES } from "@posthaste/contracts";
import { jsonBytes, splitBySize } from "./split_by_size.ts";
import type { Outgoing } from "./step.ts";
import { placeParts, type WithBytes, writeTail } from "./tail.ts";

/** Events that carry messages through the pipeline. */
export type MessagesEvent = "messages.rendered" | "messages.printed";

/** A message with its bytes, which go into the tail of its event. */
export type MessageWithBytes<T extends MessagesEvent = MessagesEvent> = WithBytes<
  EventData<T>["messages"][number]
>;

/** Space for the fields of an event about its send, in bytes. */
const HEAD_BYTES = 8 * 1024;

/** Space for messages in an event, in bytes. */
const ROOM_BYTES = MAX_EVENT_BYTES - HEAD_BYTES;

/** Returns whether an event has room for a message. */
export function fitsEvent(message: MessageWithBytes): boolean {
  return weightOf(message) <= ROOM_BYTES;
}

/**
 * Returns the events that carry messages on, with at most `maxCount` in each.
 *
 * @param send The fields of each event about the send.
 */
export function splitIntoEvents<T extends MessagesEvent>(
  type: T,
  send: Omit<EventData<T>, "messages">,
  { messages, maxCount }: { messages: readonly MessageWithBytes<T>[]; maxCount: number },
): Outgoing[] {
  return splitBySize(messages, { maxCount, maxBytes: ROOM_BYTES, sizeOf: weightOf })
    .map((part) => {
      const { messages, ...rest } = writeTail(part);
      return { type, data: { ...send, messages }, ...rest } as Outgoing;
    });
}

/** Returns the bytes of a message in an event: its JSON, and its part of the tail. */
function weightOf(message: object): number {
  const { placed: [placed], size } = placeParts([message]);
  return jsonBytes(placed) + size;
}
