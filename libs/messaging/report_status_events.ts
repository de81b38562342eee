import {
  type EventData,
  MAX_EVENT_BYTES,
  MAX_OUTCOMES_PER_EVENT,
  messageIdOf,
  type MessageStatusData,
  type MessageStatusType,
  STATUS_VERSION,
} from "@posthaste/contracts";
import { splitBySize } from "./split_by_size.ts";
import type { Outgoing } from "./step.ts";

/** What happened to one message. */
export type MessageStatusEvent = {
  [T in MessageStatusType]: { type: T; data: MessageStatusData<T> };
}[MessageStatusType];

/** What happened to one message, or that a send was accepted. */
export type StatusEvent =
  | MessageStatusEvent
  | { type: "status.send.accepted"; data: EventData<"status.send.accepted"> };

type MessageOfSend = Pick<StatusFields, "index" | "attempt">;
type SendOfMessage = Pick<StatusFields, "sendId" | "accountId">;
type StatusFields = MessageStatusData<MessageStatusType>;

/** Returns the fields that every status event about a message has. */
export function statusFieldsOf(
  { sendId, accountId }: SendOfMessage,
  { index, attempt }: MessageOfSend,
  at: Date,
) {
  const messageId = messageIdOf(sendId, index);
  return { messageId, sendId, accountId, index, attempt, at: at.toISOString() };
}

/** Returns the failures of messages of a send that failed together, for the same reason. */
export function failuresOf(
  send: SendOfMessage,
  messages: readonly MessageOfSend[],
  { stage, reason, at }: Pick<MessageStatusData<"status.message.failed">, "stage" | "reason"> & {
    at: Date;
  },
): MessageStatusEvent[] {
  return messages.map((message) => ({
    type: "status.message.failed",
    data: { ...statusFieldsOf(send, message, at), stage, reason },
  }));
}

// Bytes for the names of the fields around the list.
const FRAME_BYTES = 1024;

/**
 * Returns the status events of what happened to messages: one for each kind, or more where one would be too
 * large.
 */
export function reportsOf(statusEvents: readonly MessageStatusEvent[]): Outgoing[] {
  const kinds = Map.groupBy(statusEvents, ({ type }) => type);
  return [...kinds].flatMap(([type, ofKind]) =>
    splitBySize(ofKind.map(({ data }) => data), {
      maxCount: MAX_OUTCOMES_PER_EVENT,
      maxBytes: MAX_EVENT_BYTES - FRAME_BYTES,
    }).map((part) => ({ type, data: { v: STATUS_VERSION, outcomes: part } }) as Outgoing)
  );
}

/** Splits a status event: what happened to each of its messages. */
export function statusEventsIn({ type, data }: Outgoing): StatusEvent[] {
  if (type === "status.send.accepted") return [{ type, data }];
  return "outcomes" in data
    ? data.outcomes.map((one) => ({ type, data: one }) as MessageStatusEvent)
    : [];
}
