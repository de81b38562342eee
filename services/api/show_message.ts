import {
  type Labels,
  parseMessageId,
  type Send,
  type TimelineEntry,
  timeOfId,
  variantFor,
} from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import type { FoundMessage, MessagePlace, MessageWithHead } from "@posthaste/storage";
import type { RequestStore } from "./request_store.ts";

/** Which message is requested, and for what. */
export interface AskedMessage {
  accountId: string;
  store: Pick<RequestStore, "findMessage" | "findPlaces" | "emailVersion">;
  /** What fails without it: `show`. */
  action: string;
}

/** A recipient's place in a send. */
export interface KnownMessage {
  index: number;
  send: Send;
}

/**
 * Finds the send of a message with its request, which may weigh megabytes.
 *
 * @throws {HttpError} `unknown_message`
 */
export async function findKnown(
  id: string,
  { accountId, store, action }: Omit<AskedMessage, "store"> & {
    store: Pick<RequestStore, "findSend">;
  },
): Promise<KnownMessage> {
  const parts = parseMessageId(id);
  const send = parts === undefined ? null : await store.findSend(accountId, parts.sendId);
  if (parts && send?.request.to[parts.index]) return { index: parts.index, send };
  throw unknownMessage(id, action);
}

function unknownMessage(id: string, action: string): HttpError {
  return new HttpError(
    "unknown_message",
    `Cannot ${action} the message: there is none "${id}"`,
  );
}

/**
 * Returns a message in full, as `GET /messages/{id}` shows it.
 *
 * @throws {HttpError} `unknown_message`
 */
export async function showMessage(id: string, { accountId, store, action }: AskedMessage) {
  const found = await store.findMessage(accountId, id);
  if (found === null) throw unknownMessage(id, action);
  const { message, send: { acceptedAt, template, integrationId }, labels, hasPdfs } = found;
  const [places, variant] = await Promise.all([
    store.findPlaces(accountId, [message]),
    variantOf(found, { accountId, store }),
  ]);
  return {
    ...messageHead(message),
    // The message's own time is the start of its send.
    acceptedAt,
    waiting: places.get(id) ?? null,
    ...{ template, variant, integrationId, hasPdfs },
    ...labels,
    timeline: message.timeline.map(inWholeMs),
  };
}

/** Returns the tag of the language variant that a message has; null for the template's own body. */
async function variantOf(
  { locale, send: { template: { id, version } } }: MessageWithHead,
  { accountId, store }: Pick<AskedMessage, "accountId" | "store">,
): Promise<string | null> {
  if (locale === undefined) return null;
  const email = await store.emailVersion(accountId, id, version);
  return email === null ? null : variantFor(email, locale);
}

/** What is known about a found message apart from its document. */
export interface FoundBeside {
  place: MessagePlace | undefined;
  labels: Labels | undefined;
}

/** Returns a found message as `GET /messages/{id}` shows it, without its timeline. */
export function showFound(
  { send, hasPdfs, ...message }: FoundMessage,
  { place, labels }: FoundBeside,
) {
  const { template, integrationId } = send;
  return {
    ...messageHead(message),
    acceptedAt: timeOfId(message._id),
    waiting: place ?? null,
    ...{ template, integrationId, hasPdfs },
    ...labels,
  };
}

function messageHead(message: Omit<FoundMessage, "send" | "hasPdfs" | "subject">) {
  const { _id: id, sendId, email, state, attempt, acceptedAt, finishedAt } = message;
  const { waitsFor, reason, reply, copiesRefused } = message;
  // While it waits for its integration, nobody knows the time.
  const nextAt = waitsFor === null ? message.nextAt : null;
  return {
    ...{ id, sendId, email, state, attempt, acceptedAt, finishedAt, nextAt, reason, reply },
    ...(copiesRefused === undefined ? {} : { copiesRefused }),
  };
}

/** Rounds durations to whole milliseconds: the stages measure more precisely than readers need. */
function inWholeMs(entry: TimelineEntry): TimelineEntry {
  const { durationMs } = entry;
  return durationMs === undefined ? entry : { ...entry, durationMs: Math.round(durationMs) };
}
