import type { MessageState } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { BY_ID, messageIdRange } from "./_message_document.ts";
import { isTimeExpired } from "./_time_expired.ts";
import type { StateCounts } from "./message_store.ts";

/** The states of a batch's messages. */
export interface BatchCounts {
  states: StateCounts;
  /** Whether all its sends are settled. */
  isSettled: boolean;
  /** Whether the time ended before all messages were counted. */
  isCut: boolean;
}

/** Counts of batches. */
export interface BatchStates {
  /**
   * Counts the messages of a batch by state. The counts of settled sends are read from an index alone, at most
   * 10,000 entries. Messages of the others are counted part by part while there is time.
   *
   * @param forMs How long to count, in milliseconds.
   */
  count(accountId: string, batchId: string, forMs: number): Promise<BatchCounts>;
}

type Line = Pick<StoredSend, "_id" | "messageCount" | "settledAt" | "endStates"> & {
  held?: true | null;
  waitsUntil?: Date | null;
};

/** Counts of messages in one state, of one send. */
interface StateCount {
  _id: { sendId: string; state: MessageState };
  count: number;
}

/** All fields of the index: no document is read. */
const LINE = {
  ...{ _id: 1, messageCount: 1, settledAt: 1, held: 1, waitsUntil: 1, endStates: 1 },
};

const SENDS_PER_QUERY = 50;

/** Returns the counts of batches. */
export function batchStates(db: Db): BatchStates {
  const { messages, sends } = collectionsOf(db);

  /** Counts the messages of sends that have a document. */
  function countDocuments(accountId: string, lines: readonly Line[], maxTimeMS: number) {
    const ranges = lines.map(({ _id }) => ({ _id: messageIdRange(_id) }));
    return messages.aggregate<StateCount>([
      { $match: { accountId, $or: ranges } },
      { $group: { _id: { sendId: "$sendId", state: "$state" }, count: { $sum: 1 } } },
    ], { maxTimeMS, hint: BY_ID }).toArray();
  }

  return {
    async count(accountId, batchId, forMs) {
      const end = performance.now() + forMs;
      const states: StateCounts = {};
      const lines = await sends.find({ accountId, batchId }).sort({ _id: 1 })
        .project<Line>(LINE).maxTimeMS(forMs).toArray();
      const open: Line[] = [];
      for (const line of lines) {
        if (line.settledAt === null || !line.endStates) open.push(line);
        else for (const [state, count] of entriesOf(line.endStates)) add(states, state, count);
      }
      const isSettled = open.every(({ settledAt }) => settledAt !== null);
      for (let first = 0; first < open.length; first += SENDS_PER_QUERY) {
        const part = open.slice(first, first + SENDS_PER_QUERY);
        const restMs = Math.ceil(end - performance.now());
        if (restMs <= 0) return { states, isSettled, isCut: true };
        try {
          addPart(states, part, await countDocuments(accountId, part, restMs));
        } catch (error) {
          if (!isTimeExpired(error)) throw error;
          return { states, isSettled, isCut: true };
        }
      }
      return { states, isSettled, isCut: false };
    },
  };
}

function addPart(states: StateCounts, lines: readonly Line[], counted: readonly StateCount[]) {
  const rests = new Map(lines.map((line) => [line._id, restOf(line)]));
  for (const line of lines) add(states, restOf(line), line.messageCount);
  for (const { _id: { sendId, state }, count } of counted) {
    // A message that is tried for the first time may have a document that says so.
    if (state === "queued") continue;
    add(states, state, count);
    add(states, rests.get(sendId) ?? "queued", -count);
  }
}

function add(states: StateCounts, state: MessageState, count: number): void {
  const sum = (states[state] ?? 0) + count;
  if (sum === 0) delete states[state];
  else states[state] = sum;
}

/** Returns the state of messages without documents. */
function restOf({ held, waitsUntil }: Line): "scheduled" | "queued" {
  return held || waitsUntil ? "scheduled" : "queued";
}

function entriesOf(states: StateCounts): [MessageState, number][] {
  return Object.entries(states) as [MessageState, number][];
}
