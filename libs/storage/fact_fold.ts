import {
  CLAIMABLE_STATES,
  type EventData,
  type Message,
  type MessageState,
  statesBefore,
  type TimelineEntry,
} from "@posthaste/contracts";
import type { AnyBulkWriteOperation, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { withoutDocument } from "./_without_document.ts";
import { messageStore } from "./message_store.ts";

type OfType<T extends RecordedFactType> = { type: T; data: EventData<T> };
type RecordedFactType =
  | "fact.message.rendered"
  | "fact.message.printed"
  | "fact.message.failed";

/** A fact of the stages before the mailer, which writes its own outcomes. */
export type RecordedFact =
  | OfType<"fact.message.rendered">
  | OfType<"fact.message.printed">
  | OfType<"fact.message.failed">;

/** What the ledger learns from facts. */
export interface FactFold {
  /**
   * Folds facts into their messages: a line of the timeline, and the state if that moves it forward.
   * Facts may come late, twice and in any order. A failure counts in states in which the message may
   * still be claimed and for the attempt that it speaks of; never while or after it is sent. The
   * mailer's own failures are left out, because it has written them.
   *
   * Messages without a document get one first, from their send. Gives the ids of messages whose send
   * is not in the ledger, and about which nothing was written.
   */
  recordFacts(facts: RecordedFact[]): Promise<{ orphans: string[] }>;
}

/** Gives the fold of facts. */
export function factFold(db: Db): FactFold {
  const { messages } = collectionsOf(db);
  const { materializeSends } = messageStore(db);

  async function write(facts: RecordedFact[]): Promise<number> {
    const { matchedCount } = await messages.bulkWrite(facts.map(operationOf), { ordered: false });
    return matchedCount;
  }

  return {
    async recordFacts(facts) {
      const folded = facts.filter(isOfPreparation);
      if (folded.length === 0 || await write(folded) === folded.length) return { orphans: [] };
      // What matched nothing is known already or had no document: an upsert could not tell these
      // apart, since a filter on the timeline that fails would insert the message again.
      const missing = await withoutDocument(messages, folded.map(({ data }) => data.messageId));
      const sendIds = folded.flatMap(({ data: { messageId, sendId } }) =>
        missing.has(messageId) ? [sendId] : []
      );
      // All at once: of trackers that share a backlog, each has many facts whose sends another makes.
      await materializeSends([...new Set(sendIds)]);
      // All of them, because a document may have come from elsewhere since the first write.
      await write(folded);
      return { orphans: [...await withoutDocument(messages, [...missing])] };
    },
  };
}

function isOfPreparation(fact: RecordedFact): boolean {
  return fact.type !== "fact.message.failed" || fact.data.stage !== "mailer";
}

function operationOf(fact: RecordedFact): AnyBulkWriteOperation<Message> {
  const { messageId: _id, accountId } = fact.data;
  const entry = entryOf(fact);
  const { type, attempt, at } = entry;
  return {
    updateOne: {
      // Line and state are one write: where the line is, the state was moved.
      filter: { _id, accountId, timeline: { $not: { $elemMatch: { type, attempt, at } } } },
      update: [{
        $set: {
          timeline: lineOf(fact, entry),
          ...moveOf(fact, entry),
        },
      }],
    },
  };
}

/** A failure that comes too late is none: the message is being sent by another dispatch, or was. */
function lineOf(fact: RecordedFact, entry: TimelineEntry) {
  const longer = { $concatArrays: ["$timeline", [{ $literal: entry }]] };
  if (fact.type !== "fact.message.failed") return longer;
  return { $cond: [mayFail(entry), longer, "$timeline"] };
}

function mayFail({ attempt }: TimelineEntry) {
  return { $and: [{ $in: ["$state", [...CLAIMABLE_STATES]] }, { $eq: ["$attempt", attempt] }] };
}

function moveOf(fact: RecordedFact, entry: TimelineEntry) {
  if (fact.type === "fact.message.failed") {
    const { at } = entry;
    const may = mayFail(entry);
    return {
      state: setIf(may, "state", "failed"),
      reason: setIf(may, "reason", fact.data.reason),
      finishedAt: setIf(may, "finishedAt", at),
      nextAt: setIf(may, "nextAt", null),
      parkedFor: setIf(may, "parkedFor", null),
      releasedFor: setIf(may, "releasedFor", null),
    };
  }
  const next = stateOf(fact);
  const earlier: MessageState[] = next === "rendered" || next === "printed"
    ? statesBefore(next)
    : [];
  return { state: setIf({ $in: ["$state", earlier] }, "state", next) };
}

function setIf(condition: object, field: string, value: unknown) {
  return { $cond: [condition, { $literal: value }, `$${field}`] };
}

function stateOf({ type }: RecordedFact) {
  return type.slice("fact.message.".length) as "rendered" | "printed" | "failed";
}

function entryOf(fact: RecordedFact): TimelineEntry {
  const { at, attempt, durationMs } = fact.data;
  return {
    at: new Date(at),
    type: stateOf(fact),
    attempt,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(fact.type === "fact.message.failed" ? { detail: fact.data.reason } : {}),
  };
}
