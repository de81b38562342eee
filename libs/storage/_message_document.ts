import {
  isScheduled,
  MAX_RECIPIENT_INDEX,
  type Message,
  messageIdOf,
  type Send,
  type TimelineEntry,
} from "@posthaste/contracts";

/** The fields of a message before any work on it. */
export const UNTOUCHED = {
  sentBy: null,
  unknownAttempts: [] as number[],
  nextAt: null,
  waitsFor: null,
  finishedAt: null,
  reason: null,
  reply: null,
  mimeHash: null,
} satisfies Partial<Message>;

/** Makes the message of a recipient about whom nothing is known but that the send was accepted. */
export function queuedMessage(send: Send, index: number): Message | null {
  const recipient = send.request.to[index];
  if (recipient === undefined) return null;
  const isPlanned = isScheduled(send);
  return {
    _id: messageIdOf(send._id, index),
    sendId: send._id,
    accountId: send.accountId,
    index,
    email: recipient.email,
    integration: `${send.accountId}/${send.integrationId}`,
    state: isPlanned ? "scheduled" : "queued",
    attempt: 0,
    ...UNTOUCHED,
    nextAt: isPlanned && send.notBefore ? send.notBefore : null,
    acceptedAt: send.acceptedAt,
    timeline: [queuedEntry(send.acceptedAt)],
  };
}

/** Returns a message whose timeline is sorted by time and begins with `queued`, which documents leave out. */
export function readTimeline(message: Message): Message {
  const { timeline, acceptedAt } = message;
  const entries = timeline.some((entry) => entry.type === "queued")
    ? timeline
    : [queuedEntry(acceptedAt), ...timeline];
  return { ...message, timeline: entries.toSorted((a, b) => a.at.getTime() - b.at.getTime()) };
}

/**
 * Returns the ids of a send's messages, as a range. They sort by index, so the messages of a send are found
 * and ordered without an index of their own.
 */
export function messageIdRange(sendId: string) {
  return { $gte: messageIdOf(sendId, 0), $lte: messageIdOf(sendId, MAX_RECIPIENT_INDEX) };
}

/**
 * The hint for queries about the messages of several sends. Without it, the planner uses the index of the account's
 * addresses for one condition of the `$or`, and so reads all messages of the account.
 */
export const BY_ID = { _id: 1 } as const;

function queuedEntry(acceptedAt: Date): TimelineEntry {
  return { at: acceptedAt, type: "queued", attempt: 0 };
}
