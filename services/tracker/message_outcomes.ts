import {
  eventReason,
  type Message,
  messageEventId,
  type MessageEventType,
  type MessageState,
  type MessageWarning,
  type SmtpReply,
  type TimelineEntry,
} from "@posthaste/contracts";
import type { StatusEvent } from "@posthaste/messaging";
import { type EventSubject, type NewEvent, SENT_AGAIN } from "@posthaste/storage";

/** The outcome of an attempt to send a message, or a person's decision about it. */
export interface MessageOutcome {
  messageId: string;
  sendId: string;
  /** Position in the request's `to`. */
  index: number;
  type: MessageEventType;
  /** From 1. For a message that is sent again: its last attempt before. */
  attempt: number;
  at: Date;
  reason?: string | undefined;
  reply?: SmtpReply | undefined;
  nextAt?: string | undefined;
  /** Of a sent message. */
  warnings?: MessageWarning[] | undefined;
  /** The integration of the attempt, if it is known; else the send's own. */
  integrationId?: number | undefined;
}

const STATES: Record<MessageEventType, MessageState> = {
  "message.sent": "sent",
  "message.deferred": "deferred",
  "message.failed": "failed",
  "message.unknown": "unknown",
  "message.canceled": "canceled",
  "message.retried": "deferred",
  "recipient.suppressed": "suppressed",
};

/**
 * Returns the outcomes that status events report. A failure before the mailer is not among them: whether it
 * is the message's outcome is decided by the ledger.
 */
export function outcomesIn(statusEvents: readonly StatusEvent[]): MessageOutcome[] {
  return statusEvents.flatMap(({ type, data }): MessageOutcome[] => {
    switch (type) {
      case "status.message.failed":
        if (data.stage !== "mailer") return [];
        return [{ ...data, type: "message.failed", at: new Date(data.at) }];
      case "status.message.sent":
        return [{ ...data, type: "message.sent", at: new Date(data.at) }];
      case "status.message.deferred":
        return [{ ...data, type: "message.deferred", at: new Date(data.at) }];
      case "status.message.unknown":
        return [{ ...data, type: "message.unknown", at: new Date(data.at) }];
      case "status.message.suppressed":
        return [{ ...data, type: "recipient.suppressed", at: new Date(data.at) }];
      default:
        return [];
    }
  });
}

/** Returns the outcomes in the timeline of a message, in its order. */
export function outcomesOf(message: Message): MessageOutcome[] {
  const { _id: messageId, sendId, index, timeline } = message;
  const sending = new Set<number>();
  const failed = new Set<number>();
  const warned = new Set<MessageWarning>();
  const found: MessageOutcome[] = [];
  for (const line of timeline) {
    if (line.type === "sending") sending.add(line.attempt);
    if (line.warning !== undefined) warned.add(line.warning);
    const kind = kindOf(line, { sending, failed });
    if (kind === undefined) continue;
    if (kind.type === "message.failed") failed.add(kind.attempt);
    const { at, detail, integrationId } = line;
    const reason = kind.type === "message.sent" ? undefined : detail;
    const warnings = kind.type === "message.sent" && warned.size > 0 ? [...warned] : undefined;
    found.push({ messageId, sendId, index, ...kind, at, reason, integrationId, warnings });
  }
  return found.map((one, position) =>
    position === found.length - 1 ? { ...one, ...lastOf(message, one) } : one
  );
}

/**
 * A line written during an attempt has its number. A failure outside of an attempt has the number of the attempt before it.
 * If that attempt began and has not failed, the failure is its own; otherwise it belongs to the next.
 */
function kindOf(
  { type, attempt, detail }: TimelineEntry,
  { sending, failed }: { sending: ReadonlySet<number>; failed: ReadonlySet<number> },
): Pick<MessageOutcome, "type" | "attempt"> | undefined {
  switch (type) {
    case "sent":
      return { type: "message.sent", attempt };
    case "failed":
      return {
        type: "message.failed",
        attempt: sending.has(attempt) && !failed.has(attempt) ? attempt : attempt + 1,
      };
    case "canceled":
      return { type: "message.canceled", attempt: attempt + 1 };
    case "suppressed":
      return { type: "recipient.suppressed", attempt };
    case "unknown":
      return { type: "message.unknown", attempt };
    case "deferred":
      if (detail === SENT_AGAIN) return { type: "message.retried", attempt };
      // Otherwise it was deferred without an attempt.
      return sending.has(attempt) ? { type: "message.deferred", attempt } : undefined;
    default:
      return undefined;
  }
}

/** Returns the message's own fields about its last outcome. */
function lastOf(
  { state, reply, nextAt, waitsFor }: Message,
  { type }: MessageOutcome,
): Partial<MessageOutcome> {
  if (type === "message.retried" || state !== STATES[type]) return {};
  return {
    ...(reply === null ? {} : { reply }),
    ...(state === "deferred" && nextAt !== null && waitsFor === null
      ? { nextAt: nextAt.toISOString() }
      : {}),
  };
}

/** Returns the id of an outcome's event. */
export function eventIdOf({ messageId, type, attempt }: MessageOutcome): string {
  return messageEventId(messageId, { type, attempt });
}

/** Returns the event of an outcome, without addresses and without the server's text. */
export function eventOf(outcome: MessageOutcome, subject: EventSubject): NewEvent {
  const { messageId, sendId, index, type, attempt, at, reason, reply, nextAt, warnings } = outcome;
  const { accountId, template } = subject;
  const { integrationId = subject.integrationId } = outcome;
  return {
    ...{ _id: eventIdOf(outcome), accountId, type, at },
    data: {
      ...{ messageId, sendId, state: STATES[type], attempt },
      ...(nextAt === undefined ? {} : { nextAt }),
      ...(reason === undefined ? {} : { reason: eventReason(reason) }),
      ...(reply === undefined ? {} : { reply: codesOf(reply) }),
      ...(warnings === undefined ? {} : { warnings }),
      ...{ template, integrationId, ...batchOf(subject), ...subject.labelsOf(index) },
    },
  };
}

/** Returns the batch of a send; no field if it belongs to none. */
export function batchOf({ batchId }: Pick<EventSubject, "batchId">) {
  return batchId === undefined ? {} : { batchId };
}

function codesOf({ code, enhanced }: SmtpReply) {
  return {
    ...(code === undefined ? {} : { code }),
    ...(enhanced === undefined ? {} : { enhanced }),
  };
}
