import {
  type Message,
  messageIdOf,
  type MessageState,
  startOf,
  type TimelineEntry,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { acceptedWithin } from "./_accepted_within.ts";
import { collectionsOf } from "./_collections.ts";
import { messageIdRange } from "./_message_document.ts";
import { isTimeExpired } from "./_time_expired.ts";
import type { Because } from "./message_filter.ts";
import type { DeliveryLedgers } from "./delivery_ledger.ts";
import { messageStore } from "./message_store.ts";
import type { SendHead } from "./send_store.ts";

/** Messages in the same state for the same cause. */
export interface ReasonGroup extends Because {
  state: MessageState;
  count: number;
  /** The server's reply to one of them. */
  response: string | null;
  /** The newest of them. */
  messageId: string;
}

/** Selects the messages whose reasons to group. */
export interface ReasonQuery {
  states: readonly MessageState[];
  /** Of one send. */
  sendId?: string | undefined;
  /** Accepted at this time or later. */
  from?: Date | undefined;
  /** Ended at this time or later. */
  endedFrom?: Date | undefined;
}

/** The message that has waited the longest. */
export type OldestMessage = Pick<Message, "state" | "acceptedAt" | "sendId"> & { id: string };

/** Figures about an account's current messages. Each reads a bounded amount. */
export interface MessageFigures {
  /** Groups messages by the cause of their state, the most frequent first, at most 50. */
  groupReasons(accountId: string, query: ReasonQuery): Promise<ReasonGroup[]>;
  /** Counts messages in an indexed state accepted since a time, up to `limit`. */
  count(
    accountId: string,
    query: { state: MessageState; from: Date; limit: number },
  ): Promise<number>;
  /** Returns the timelines of an account's newest messages. */
  newestTimelines(accountId: string, limit: number): Promise<TimelineEntry[][]>;
  /** Finds the message that has waited the longest and does not wait for a person; `null` if none. */
  oldestWaiting(accountId: string): Promise<OldestMessage | null>;
}

const MAX_MS = 2000;
const MAX_GROUPS = 50;
const SENDS_LOOKED_AT = 20;

/** Returns the figures about messages. */
export function messageFigures(db: Db, ledgers: DeliveryLedgers): MessageFigures {
  const { messages, sends } = collectionsOf(db);
  const { unfinished: unfinishedMessages } = messageStore(db, ledgers);

  async function groupsOf(
    state: MessageState,
    accountId: string,
    { sendId, from, endedFrom }: ReasonQuery,
  ): Promise<ReasonGroup[]> {
    const ended = { state, ...(endedFrom ? { finishedAt: { $gte: endedFrom } } : {}) };
    const groups = messages.aggregate<Omit<ReasonGroup, "state"> & { _id: Because }>([
      {
        $match: sendId
          ? { accountId, ...ended, _id: messageIdRange(sendId) }
          : acceptedWithin("msg", { accountId, from }, ended),
      },
      {
        $group: {
          _id: {
            reason: "$reason",
            code: { $ifNull: ["$reply.code", null] },
            enhanced: { $ifNull: ["$reply.enhanced", null] },
          },
          count: { $sum: 1 },
          response: { $max: "$reply.response" },
          messageId: { $max: "$_id" },
        },
      },
      { $sort: { count: -1, messageId: -1 } },
      { $limit: MAX_GROUPS },
    ], { maxTimeMS: MAX_MS });
    return (await inTime(groups.toArray(), [])).map(({ _id, count, response, messageId }) => ({
      ...{ state, ..._id, count, response: response ?? null, messageId },
    }));
  }

  return {
    async groupReasons(accountId, query) {
      // For several states together, the planner chooses slower plans.
      const groups = await Promise.all(
        query.states.map((state) => groupsOf(state, accountId, query)),
      );
      return groups.flat().toSorted((a, b) => b.count - a.count).slice(0, MAX_GROUPS);
    },
    count: (accountId, { state, from, limit }) =>
      inTime(
        messages.countDocuments(
          acceptedWithin("msg", { accountId, from }, { state }),
          { limit, maxTimeMS: MAX_MS },
        ),
        limit,
      ),
    async newestTimelines(accountId, limit) {
      const heads = await sends.find({ accountId }).sort({ _id: -1 }).limit(limit)
        .project<Pick<SendHead, "_id" | "messageCount">>({ messageCount: 1 }).toArray();
      let rest = limit;
      const ranges = heads.flatMap(({ _id, messageCount }) => {
        if (rest <= 0) return [];
        const taken = Math.min(rest, messageCount);
        rest -= taken;
        return [{ _id: { $gte: messageIdOf(_id, 0), $lte: messageIdOf(_id, taken - 1) } }];
      });
      if (ranges.length === 0) return [];
      const found = messages.find({ accountId, $or: ranges }).maxTimeMS(MAX_MS)
        .project<Pick<Message, "timeline">>({ _id: 0, timeline: 1 });
      return await inTime(found.map(({ timeline }) => timeline).toArray(), []);
    },
    async oldestWaiting(accountId) {
      // The reconciler's index holds the sends that are not settled.
      const heads = await inTime(
        // A scheduled send waits for its time, so it cannot be late.
        sends.find({ accountId, settledAt: null, waitsUntil: { $exists: false } }).hint({
          reconcileAt: 1,
        }).sort({ _id: 1 })
          .limit(SENDS_LOOKED_AT).maxTimeMS(MAX_MS).project<SendHead>({ request: 0, emails: 0 })
          .toArray(),
        [],
      );
      for (const head of heads) {
        const waiting = (await unfinishedMessages(head))
          .find(({ outcome }) => outcome?.state !== "unknown");
        if (waiting === undefined) continue;
        const { index, outcome, register } = waiting;
        const isSending = register !== undefined && "dot" in register.register;
        const state = isSending ? "sending" : outcome?.state ?? "queued";
        const { _id: sendId } = head;
        const acceptedAt = startOf(head);
        return { id: messageIdOf(sendId, index), sendId, state, acceptedAt };
      }
      return null;
    },
  };
}

/** Returns the result of some work, or `otherwise` if it takes too long: people wait for figures. */
async function inTime<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isTimeExpired(error)) return otherwise;
    throw error;
  }
}
