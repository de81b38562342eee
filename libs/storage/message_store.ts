import {
  isScheduled,
  isTerminal,
  type Message,
  messageIdOf,
  type MessageState,
  parseMessageId,
  type Send,
  startOf,
} from "@posthaste/contracts";
import { isWanted, nextAttempt, type StoredOutcome } from "@posthaste/delivery";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { withRegisters } from "./_with_registers.ts";
import { BY_ID, messageIdRange, queuedMessage, readTimeline } from "./_message_document.ts";
import { type DeliveryLedgers, type FoundAttempt, outcomeOf } from "./delivery_ledger.ts";
import { sendStore } from "./send_store.ts";

/** The facts about an unfinished message that a reconciler needs. */
export interface UnfinishedMessage {
  index: number;
  /** The last outcome; `undefined` if there is none. */
  outcome: StoredOutcome | undefined;
  /** The register of the attempt after that; `undefined` if there is none. */
  register: FoundAttempt | undefined;
  nextAt: Date | null;
  /** `_id` of the integration whose turn it waits for. */
  waitsFor: string | null;
  /** Time of the last line of its timeline. */
  enteredAt: Date;
}

/** How many messages of a send are in each state. */
export type StateCounts = Partial<Record<MessageState, number>>;

/**
 * Operations on messages besides changes of state. A message without a document is `queued`: its send
 * contains all that is known of it, so it is found and listed like any other.
 */
export interface MessageStore {
  /** Finds a message of an account. */
  find(accountId: string, id: string): Promise<Message | null>;
  /** Lists all messages of a send of an account by index; `null` if there is no such send. */
  list(accountId: string, sendId: string): Promise<Message[] | null>;
  /** Counts the messages of an account's sends by state. Other sends are left out. */
  countStates(accountId: string, sendIds: string[]): Promise<Map<string, StateCounts>>;
  /** Lists the messages of a send that are in no terminal state, by index. */
  unfinished(send: UnfinishedSend): Promise<UnfinishedMessage[]>;
  /** Lists the messages of each send that are in no terminal state, by index: two reads for all sends. */
  unfinishedOf(sends: readonly UnfinishedSend[]): Promise<Map<string, UnfinishedMessage[]>>;
}

/** The facts about a send that show which messages it has. */
export type UnfinishedSend = Pick<Send, "_id" | "messageCount" | "acceptedAt" | "notBefore">;

/** Returns the operations on messages. */
export function messageStore(db: Db, { find: findRegisters }: DeliveryLedgers): MessageStore {
  const { messages, sends } = collectionsOf(db);
  const { find: findSend } = sendStore(db);

  async function queuedOf(
    accountId: string,
    { sendId, index }: { sendId: string; index: number },
  ): Promise<Message | null> {
    const send = await findSend(accountId, sendId);
    return send && queuedMessage(send, index);
  }

  async function unfinishedOf(
    heads: readonly UnfinishedSend[],
  ): Promise<Map<string, UnfinishedMessage[]>> {
    const asked = heads.flatMap((send) =>
      Array.from({ length: send.messageCount }, (_, index) => ({
        ...{ send, index, messageId: messageIdOf(send._id, index) },
      }))
    );
    const ids = asked.map(({ messageId }) => messageId);
    // The outcomes come first: a register that is found then belongs to the attempt after them, or they are
    // old.
    const found = await messages.find({ _id: { $in: ids } }).project<Line>(LINE).toArray();
    const lines = new Map(found.map((line) => [line._id, line]));
    const open = asked.flatMap((message) => {
      const line = lines.get(message.messageId);
      if (line !== undefined && isTerminal(line.state)) return [];
      return { ...message, line, n: nextAttempt(line && outcomeOf(line)) };
    });
    const registers = await findRegisters(open);
    const listed = new Map(heads.map(({ _id }) => [_id, [] as UnfinishedMessage[]]));
    for (const { send, index, messageId, line, n } of open) {
      listed.get(send._id)?.push({
        index,
        outcome: line && outcomeOf(line),
        register: registers.get(`${messageId}/${n}`),
        nextAt: line?.nextAt ?? null,
        waitsFor: line?.waitsFor ?? null,
        enteredAt: (line && latest(line.timeline)) ?? startOf(send),
      });
    }
    return listed;
  }

  return {
    async find(accountId, id) {
      const parsed = parseMessageId(id);
      if (parsed === undefined) return null;
      const found = await messages.findOne({ _id: id, accountId });
      if (found !== null && !isWanted(outcomeOf(found))) return readTimeline(found);
      const message = found ?? await queuedOf(accountId, parsed);
      if (message === null) return null;
      const [sending] = await withRegisters([readTimeline(message)], { find: findRegisters });
      return sending ?? null;
    },
    async list(accountId, sendId) {
      const send = await findSend(accountId, sendId);
      if (send === null) return null;
      const found = await messages.find({ _id: messageIdRange(sendId), accountId }).toArray();
      const byIndex = new Map(found.map((message) => [message.index, readTimeline(message)]));
      const all = send.request.to.flatMap((_, index) =>
        byIndex.get(index) ?? queuedMessage(send, index) ?? []
      );
      return send.settledAt === null ? await withRegisters(all, { find: findRegisters }) : all;
    },
    async countStates(accountId, sendIds) {
      const heads = await sends.find({ _id: { $in: sendIds }, accountId })
        .project<
          Pick<
            Send,
            "_id" | "messageCount" | "notBefore" | "next" | "waitsFor" | "settledAt" | "held"
          >
        >({
          ...{ messageCount: 1, notBefore: 1, next: 1, waitsFor: 1, settledAt: 1, held: 1 },
        }).toArray();
      if (heads.length === 0) return new Map();
      const groups = await messages.aggregate<
        { _id: { sendId: string; state: MessageState }; count: number }
      >([
        { $match: { accountId, $or: heads.map(({ _id }) => ({ _id: messageIdRange(_id) })) } },
        { $group: { _id: { sendId: "$sendId", state: "$state" }, count: { $sum: 1 } } },
      ], { hint: BY_ID }).toArray();
      const counts = new Map<string, StateCounts>(
        heads.map((head) => [head._id, { [restOf(head)]: head.messageCount }]),
      );
      const rests = new Map(heads.map((head) => [head._id, restOf(head)]));
      for (const { _id: { sendId, state }, count } of groups) {
        const ofSend = counts.get(sendId) ?? {};
        if (state === "queued") continue;
        ofSend[state] = count;
        const rest = rests.get(sendId) ?? "queued";
        ofSend[rest] = (ofSend[rest] ?? 0) - count;
      }
      return counts;
    },
    unfinished: async (send) => (await unfinishedOf([send])).get(send._id) ?? [],
    unfinishedOf,
  };
}

/** Returns the state of messages without documents. */
function restOf(send: Parameters<typeof isScheduled>[0]): "scheduled" | "queued" {
  return isScheduled(send) ? "scheduled" : "queued";
}

type Line = Pick<Message, "_id" | "index" | "state" | "attempt" | "nextAt" | "waitsFor"> & {
  timeline: { at: Date }[];
};

const LINE = { index: 1, state: 1, attempt: 1, nextAt: 1, waitsFor: 1, "timeline.at": 1 };

function latest(timeline: { at: Date }[]): Date | undefined {
  return timeline.map((entry) => entry.at).toSorted((a, b) => a.getTime() - b.getTime()).at(-1);
}
