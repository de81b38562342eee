import {
  isScheduled,
  type Labels,
  labelsOf,
  type Message,
  parseMessageId,
  type Send,
  type TimelineEntry,
  timeOfId,
} from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import type { FoundMessage, MessagePlace } from "@posthaste/storage";
import type { RequestLedger } from "./request_ledger.ts";

/** Which message is requested, and for what. */
export interface AskedMessage {
  accountId: string;
  ledger: Pick<RequestLedger, "findMessage" | "findSend" | "findPlaces">;
  /** What fails without it: `show`. */
  action: string;
}

/** A message with its send. The message is null until a worker handles it. */
export interface KnownMessage {
  id: string;
  index: number;
  message: Message | null;
  send: Send;
}

/**
 * Finds a message with its send.
 *
 * @throws {HttpError} `unknown_message`
 */
export async function findKnown(
  id: string,
  { accountId, ledger, action }: AskedMessage,
): Promise<KnownMessage> {
  const parts = parseMessageId(id);
  const [message, send] = parts === undefined ? [null, null] : await Promise.all([
    ledger.findMessage(accountId, id),
    ledger.findSend(accountId, parts.sendId),
  ]);
  if (parts && send?.request.to[parts.index]) return { id, index: parts.index, message, send };
  throw new HttpError("unknown_message", `Cannot ${action} the message: there is none "${id}"`);
}

/**
 * Returns a message in full, as `GET /messages/{id}` shows it.
 *
 * @throws {HttpError} `unknown_message`
 */
export async function showMessage(id: string, asked: AskedMessage) {
  const { index, message, send } = await findKnown(id, asked);
  const { template, integrationId, request } = send;
  const places = message === null
    ? undefined
    : await asked.ledger.findPlaces(asked.accountId, [message]);
  return {
    ...(message === null ? queuedHead(id, { send, index }) : messageHead(message)),
    // The message's own time is the start of its send.
    acceptedAt: send.acceptedAt,
    waiting: places?.get(id) ?? null,
    ...{ template, integrationId },
    ...labelsOf(request, request.to[index]),
    timeline: (message?.timeline ?? []).map(inWholeMs),
  };
}

/** What is known about a found message apart from its document. */
export interface FoundBeside {
  place: MessagePlace | undefined;
  labels: Labels | undefined;
}

/** Returns a found message as `GET /messages/{id}` shows it, without its timeline. */
export function showFound({ send, ...message }: FoundMessage, { place, labels }: FoundBeside) {
  const { template, integrationId } = send;
  return {
    ...messageHead(message),
    acceptedAt: timeOfId(message._id),
    waiting: place ?? null,
    ...{ template, integrationId },
    ...labels,
  };
}

function messageHead(message: Omit<FoundMessage, "send" | "waitsFor">) {
  const { _id: id, sendId, email, state, attempt, acceptedAt, finishedAt } = message;
  const { nextAt, reason, reply, copiesRefused } = message;
  return {
    ...{ id, sendId, email, state, attempt, acceptedAt, finishedAt, nextAt, reason, reply },
    ...(copiesRefused === undefined ? {} : { copiesRefused }),
  };
}

/** A message without a document has not been handled yet. */
function queuedHead(id: string, { send, index }: Pick<KnownMessage, "send" | "index">) {
  const { _id: sendId, acceptedAt, request } = send;
  const nextAt = isScheduled(send) ? send.notBefore ?? null : null;
  const at = { acceptedAt, finishedAt: null, nextAt };
  const email = request.to[index]?.email;
  return {
    id,
    sendId,
    email,
    state: isScheduled(send) ? "scheduled" as const : "queued" as const,
    attempt: 0,
    ...at,
    reason: null,
    reply: null,
  };
}

/** Rounds durations to whole milliseconds: the stages measure more precisely than readers need. */
function inWholeMs(entry: TimelineEntry): TimelineEntry {
  const { durationMs } = entry;
  return durationMs === undefined ? entry : { ...entry, durationMs: Math.round(durationMs) };
}
