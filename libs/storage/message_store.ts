import { isTerminal, type Message, type MessageState, parseMessageId } from "@posthaste/contracts";
import type { Send } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { materialize } from "./_materialize.ts";
import { messageIdRange, queuedMessage, readTimeline } from "./_message_document.ts";
import { sendStore } from "./send_store.ts";

/** What a sweeper must know of a message that is in no terminal state. */
export interface UnfinishedMessage {
  index: number;
  state: MessageState;
  attempt: number;
  leaseUntil: Date | null;
  nextAt: Date | null;
  /** `_id` of the integration whose turn it waits for. */
  parkedFor: string | null;
  /** Time of the last line of its timeline. */
  enteredAt: Date;
}

/** How many messages of a send are in which state. */
export type StateCounts = Partial<Record<MessageState, number>>;

/**
 * What can be done with messages besides moving them. A message without a document is `queued`: its
 * send says all that there is to know, so it is found and listed like any other.
 */
export interface MessageStore {
  /**
   * Writes a document for every message of some sends that has none. Gives the ids of the sends that are
   * not in the ledger.
   */
  materializeSends(ids: string[]): Promise<{ unknown: string[] }>;
  /** Finds a message of an account. */
  findMessage(accountId: string, id: string): Promise<Message | null>;
  /** Lists all messages of a send of an account by index; `null` if there is no such send. */
  listMessages(accountId: string, sendId: string): Promise<Message[] | null>;
  /** Counts the messages of an account's sends by state. Other sends are left out. */
  countStates(accountId: string, sendIds: string[]): Promise<Map<string, StateCounts>>;
  /** Lists the messages of a send that are in no terminal state, by index. */
  unfinishedMessages(
    send: Pick<Send, "_id" | "messageCount" | "acceptedAt">,
  ): Promise<UnfinishedMessage[]>;
}

/** Gives the operations on messages. */
export function messageStore(db: Db): MessageStore {
  const { messages, sends } = collectionsOf(db);
  const { findSend, loadSends } = sendStore(db);
  return {
    async materializeSends(ids) {
      if (ids.length === 0) return { unknown: [] };
      const unknown = new Set(ids);
      const found = async function* () {
        for await (const send of loadSends(ids)) {
          unknown.delete(send._id);
          yield send;
        }
      };
      await materialize(messages, found());
      return { unknown: [...unknown] };
    },
    async findMessage(accountId, id) {
      const parsed = parseMessageId(id);
      if (parsed === undefined) return null;
      const found = await messages.findOne({ _id: id, accountId });
      if (found !== null) return readTimeline(found);
      const send = await findSend(accountId, parsed.sendId);
      return send && queuedMessage(send, parsed.index);
    },
    async listMessages(accountId, sendId) {
      const send = await findSend(accountId, sendId);
      if (send === null) return null;
      const found = await messages.find({ _id: messageIdRange(sendId), accountId }).toArray();
      const byIndex = new Map(found.map((message) => [message.index, readTimeline(message)]));
      return send.request.to.flatMap((_, index) =>
        byIndex.get(index) ?? queuedMessage(send, index) ?? []
      );
    },
    async countStates(accountId, sendIds) {
      const heads = await sends.find({ _id: { $in: sendIds }, accountId })
        .project<Pick<Send, "_id" | "messageCount">>({ messageCount: 1 }).toArray();
      if (heads.length === 0) return new Map();
      const groups = await messages.aggregate<
        { _id: { sendId: string; state: MessageState }; count: number }
      >([
        { $match: { accountId, $or: heads.map(({ _id }) => ({ _id: messageIdRange(_id) })) } },
        { $group: { _id: { sendId: "$sendId", state: "$state" }, count: { $sum: 1 } } },
      ]).toArray();
      const counts = new Map<string, StateCounts>(
        heads.map(({ _id, messageCount }) => [_id, { queued: messageCount }]),
      );
      for (const { _id: { sendId, state }, count } of groups) {
        const ofSend = counts.get(sendId) ?? {};
        if (state === "queued") continue;
        ofSend[state] = count;
        ofSend.queued = (ofSend.queued ?? 0) - count;
      }
      return counts;
    },
    async unfinishedMessages({ _id, messageCount, acceptedAt }) {
      type Line = Omit<UnfinishedMessage, "enteredAt"> & { timeline: { at: Date }[] };
      const found = await messages.find({ _id: messageIdRange(_id) }).project<Line>({
        ...{
          index: 1,
          state: 1,
          attempt: 1,
          leaseUntil: 1,
          nextAt: 1,
          parkedFor: 1,
          "timeline.at": 1,
        },
      }).toArray();
      const byIndex = new Map(found.map((line) => [line.index, line]));
      return Array.from({ length: messageCount }, (_, index) => index).flatMap((index) => {
        const line = byIndex.get(index);
        if (line === undefined) return unknownYet(index, acceptedAt);
        const { state, attempt, leaseUntil, nextAt, parkedFor, timeline } = line;
        if (isTerminal(state)) return [];
        const enteredAt = latest(timeline) ?? acceptedAt;
        return { index, state, attempt, leaseUntil, nextAt, parkedFor, enteredAt };
      });
    },
  };
}

function unknownYet(index: number, acceptedAt: Date): UnfinishedMessage {
  const nothing = { attempt: 0, leaseUntil: null, nextAt: null, parkedFor: null };
  return { index, state: "queued", ...nothing, enteredAt: acceptedAt };
}

function latest(timeline: { at: Date }[]): Date | undefined {
  return timeline.map((entry) => entry.at).toSorted((a, b) => a.getTime() - b.getTime()).at(-1);
}
