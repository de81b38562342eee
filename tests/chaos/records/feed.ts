import type { MongoClient } from "mongodb";
import { isFinal } from "./open_mails.ts";
import { DATABASE } from "./read_records.ts";
import type { FeedEvent, ServiceLedger } from "./records.ts";

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

/**
 * Returns what is wrong with a feed: a hole in its numbers, an event that is missing, there twice or after a
 * later attempt, or a send that is settled before its messages end. Pure.
 */
export function findFeedFaults(
  feed: readonly FeedEvent[],
  { sends, messages }: ServiceLedger,
): string[] {
  const hole = feed.findIndex(({ sequence }, position) => sequence !== position + 1);
  const faults = hole < 0 ? [] : [`number ${hole + 1} of the feed is ${feed[hole]?.sequence}`];
  const ofMessages = Map.groupBy(feed, ({ messageId }) => messageId);
  for (const { id, state } of messages) {
    const events = ofMessages.get(id) ?? [];
    if (isFinal(state) && events.at(-1)?.type !== `message.${state}`) {
      const last = events.at(-1)?.type ?? "no event";
      faults.push(`${id} is ${state}, and the last of it in the feed is ${last}`);
    }
    const disorder = events.find(({ attempt = 0 }, position) =>
      attempt < (events[position - 1]?.attempt ?? 0)
    );
    if (disorder !== undefined) {
      faults.push(
        `${disorder.type} ${disorder.attempt} of ${id} is in the feed after a later attempt`,
      );
    }
    const kinds = events.map(({ type, attempt }) => `${type} ${attempt}`);
    const twice = kinds.find((kind, position) => kinds.indexOf(kind) !== position);
    if (twice !== undefined) faults.push(`${twice} of ${id} is in the feed more than once`);
  }
  const settlings = Map.groupBy(feed, ({ type, sendId }) => type === "send.settled" ? sendId : "");
  const lastOfSends = new Map(
    feed.flatMap((event) => event.messageId === undefined ? [] : [[event.sendId, event] as const]),
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
