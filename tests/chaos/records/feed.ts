import type { MongoClient } from "mongodb";
import { isFinal } from "./open_mails.ts";
import { DATABASE } from "./read_records.ts";
import type { ReadEvent } from "../load/feed_reader.ts";
import type { FeedEvent, ServiceLedger, ServiceMessage } from "./records.ts";

interface StoredEvent {
  _id: string;
  accountId: string;
  sequence: number;
  type: string;
  /** JSON. */
  data: string;
}

/** Reads the feed of an account from the database, oldest first. */
export async function readFeed(mongo: MongoClient, accountId: string): Promise<FeedEvent[]> {
  const events = await mongo.db(DATABASE).collection<StoredEvent>("events").find({ accountId })
    .sort({ sequence: 1 }).toArray();
  return events.map(({ _id: id, sequence, type, data }) => {
    const { messageId, sendId, attempt } = JSON.parse(data);
    return { id, sequence, type, messageId, sendId, attempt };
  });
}

/** The feed as a program read it during the faults. */
export interface Reading {
  /** In the order in which they came. */
  events: readonly ReadEvent[];
  /** Answers that no fault explains. */
  refusals: readonly string[];
}

/** Returns how a reading differs from the feed: each event must have come once, in the order of the numbers. Pure. */
export function findReadingFaults(
  { events, refusals }: Reading,
  feed: readonly FeedEvent[],
): string[] {
  const faults = refusals.map((refusal) => `a reader of the feed was answered ${refusal}`);
  // The feed may have grown since it was read from the database.
  const read = events.slice(0, feed.length);
  const at = feed.findIndex(({ id, sequence }, position) =>
    read[position]?.id !== id || read[position]?.sequence !== sequence
  );
  if (at < 0) return faults;
  const { id, sequence } = feed[at] ?? { id: "", sequence: 0 };
  const other = read[at];
  const instead = other === undefined ? "nothing" : `${other.id}, number ${other.sequence}`;
  return [...faults, `a reader of the feed got ${instead} instead of ${id}, number ${sequence}`];
}

/**
 * Returns what is wrong with a feed: a hole in its numbers, an event that is missing, there twice or after a
 * later attempt, one of nothing in the ledger, or a send that is settled before its messages end. Pure.
 */
export function findFeedFaults(
  feed: readonly FeedEvent[],
  { sends, messages }: ServiceLedger,
): string[] {
  const hole = feed.findIndex(({ sequence }, position) => sequence !== position + 1);
  const faults = hole < 0 ? [] : [`number ${hole + 1} of the feed is ${feed[hole]?.sequence}`];
  const ofMessages = Map.groupBy(feed, ({ messageId }) => messageId);
  const late = new Set<FeedEvent>();
  for (const { id, state } of messages) {
    const events = ofMessages.get(id) ?? [];
    if (isFinal(state) && events.at(-1)?.type !== `message.${state}`) {
      const last = events.at(-1)?.type ?? "no event";
      faults.push(`${id} is ${state}, and the last of it in the feed is ${last}`);
    }
    const disorder = events.find((event, position) =>
      isEarlier(event, events[position - 1]) && event.type !== "message.sent"
    );
    if (disorder !== undefined) {
      faults.push(
        `${disorder.type} ${disorder.attempt} of ${id} is in the feed after a later attempt`,
      );
    }
    for (const [position, event] of events.entries()) {
      if (isSecondCopy(event, events[position - 1])) late.add(event);
    }
    const kinds = events.map(({ type, attempt }) => `${type} ${attempt}`);
    const twice = kinds.find((kind, position) => kinds.indexOf(kind) !== position);
    if (twice !== undefined) faults.push(`${twice} of ${id} is in the feed more than once`);
    const beyond = events.find((event, position) =>
      !late.has(event) && isOver(events[position - 1], event)
    );
    if (beyond !== undefined) faults.push(`${beyond.type} of ${id} is in the feed after its end`);
  }
  const settled = new Set(sends.filter((send) => send.settled).map(({ id }) => id));
  for (const message of messages.filter(({ sendId }) => settled.has(sendId))) {
    const kinds = new Set(ofMessages.get(message.id)?.map((one) => `${one.type} ${one.attempt}`));
    const missing = outcomesOf(message).find((outcome) => !kinds.has(outcome));
    if (missing !== undefined) faults.push(`${missing} of ${message.id} is not in the feed`);
  }
  const known = new Set([...sends, ...messages].map(({ id }) => id));
  const unknown = feed.find(({ messageId, sendId }) =>
    [messageId, sendId].some((id) => id !== undefined && !known.has(id))
  );
  if (unknown !== undefined) faults.push(`${unknown.id} of the feed is of nothing in the ledger`);
  const settlings = Map.groupBy(feed, ({ type, sendId }) => type === "send.settled" ? sendId : "");
  const lastOfSends = new Map(
    feed.filter((event) => event.messageId !== undefined && !late.has(event))
      .map((event) => [event.sendId, event]),
  );
  for (const { id, settled } of sends) {
    const settling = settlings.get(id)?.at(-1);
    if (settled !== (settling !== undefined)) {
      faults.push(`${id} is ${settled ? "" : "not "}settled, and the feed says otherwise`);
    }
    const last = lastOfSends.get(id);
    if (settling !== undefined && last !== undefined && last.sequence > settling.sequence) {
      faults.push(`${last.type} of ${last.messageId} is in the feed after its send was settled`);
    }
  }
  return faults;
}

const ENDS = new Set(["message.failed", "message.canceled", "recipient.suppressed"]);

/** Returns whether an event follows the end of its message. A late success may be found after a failure. */
function isOver(before: FeedEvent | undefined, event: FeedEvent): boolean {
  if (before?.type === "message.sent") return true;
  return ENDS.has(before?.type ?? "") && event.type !== "message.sent";
}

/**
 * Returns whether an event is the late success of an earlier attempt than the one before: two copies went out. It may come
 * at any time, even after the send was settled.
 */
function isSecondCopy(event: FeedEvent, before: FeedEvent | undefined): boolean {
  return [before?.type, event.type].every((type) => type === "message.sent") &&
    isEarlier(event, before);
}

function isEarlier(event: FeedEvent, other: FeedEvent | undefined): boolean {
  return (event.attempt ?? 0) < (other?.attempt ?? 0);
}

/** Returns the outcomes in the timeline of a message, as type and attempt of their events. */
function outcomesOf({ timeline }: ServiceMessage): string[] {
  const begun = new Set<number>();
  return timeline.flatMap(({ type, attempt }) => {
    if (type === "sending") begun.add(attempt);
    if (type === "sent" || type === "unknown") return [`message.${type} ${attempt}`];
    // Without an attempt, a message only waits.
    if (type === "deferred") return begun.has(attempt) ? [`message.deferred ${attempt}`] : [];
    if (type !== "failed") return [];
    return [`message.failed ${begun.has(attempt) ? attempt : attempt + 1}`];
  });
}
