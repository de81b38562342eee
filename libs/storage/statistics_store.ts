import { timeOfId } from "@posthaste/contracts";
import type { Db, Document } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import {
  COUNTED,
  type Counted,
  idOfBucket,
  STATISTICS_BUCKET_MS,
  type StatisticsBucket,
  type StatisticsHint,
} from "./statistics_bucket.ts";

/** How long buckets are kept, in milliseconds: 90 days. */
export const STATISTICS_KEPT_MS = 90 * 24 * 3_600_000;

/**
 * Messages accepted at most this long before a bucket are found by the time in their ids in a recount, in
 * milliseconds; older ones, by notes.
 */
export const STATISTICS_YOUNG_MS = STATISTICS_BUCKET_MS;

/** How long notes of older sends of a bucket are kept, in milliseconds: 2 days. */
export const STATISTICS_HINTS_KEPT_MS = 2 * 24 * 3_600_000;

/** What is added to a bucket. */
export type StatisticsNote =
  & Pick<StatisticsBucket, "accountId" | "at" | "integrations">
  & Partial<Record<Counted, number>>
  & {
    /** Sends whose messages had these outcomes. */
    sends?: readonly string[];
  };

/**
 * Counts for charts. A note is preliminary: it is shown until the bucket has ended, and then counted from
 * messages (`recountStatistics`).
 */
export interface StatisticsStore {
  /**
   * Adds to buckets, in one command; times are rounded down to the beginning of their bucket. A bucket that
   * was already counted does not grow: it is counted again.
   */
  note(notes: StatisticsNote[]): Promise<void>;
  /** Lists an account's buckets that begin within a period, oldest first; empty ones are left out. */
  list(accountId: string, time: { from: Date; until: Date }): Promise<StatisticsBucket[]>;
}

const HIDDEN = { notes: 0, isRecountDue: 0, countedAt: 0 };

/** Returns the operations on statistics. */
export function statisticsStore(db: Db): StatisticsStore {
  const { statistics, statisticsHints } = collectionsOf(db);
  // No decision depends on them: they wait for no disk and no majority.
  const options = { ordered: false, writeConcern: { w: 1, journal: false } } as const;
  return {
    async note(notes) {
      if (notes.length === 0) return;
      const hints = hintsOf(notes);
      if (hints.length > 0) await statisticsHints.insertMany(hints, options);
      const operations = notes.map((note) => {
        const { accountId } = note;
        const at = bucketOf(note.at);
        const $set = { accountId, at, isRecountDue: true, ...sumsOf(note) };
        const filter = { _id: idOfBucket(accountId, at) };
        return { updateOne: { filter, update: [{ $set }], upsert: true } };
      });
      await statistics.bulkWrite(operations, options);
    },
    list: (accountId, { from, until }) =>
      statistics.find({
        accountId,
        _id: { $gte: idOfBucket(accountId, bucketOf(from)), $lt: idOfBucket(accountId, until) },
      }, { readConcern: { level: "local" }, projection: HIDDEN }).sort({ _id: 1 }).toArray(),
  };
}

function sumsOf({ integrations = {}, ...note }: StatisticsNote): Document {
  const isCounted = { $ne: [{ $type: "$countedAt" }, "missing"] };
  const plus = (field: string, count: number) => [
    field,
    { $add: [{ $ifNull: [`$${field}`, 0] }, { $cond: [isCounted, 0, count] }] },
  ];
  return Object.fromEntries([
    ["notes", { $add: [{ $ifNull: ["$notes", 0] }, 1] }],
    ...COUNTED.map((name) => plus(name, note[name] ?? 0)),
    ...Object.entries(integrations).flatMap(([id, counts]) =>
      Object.entries(counts).map(([name, count]) => plus(`integrations.${id}.${name}`, count))
    ),
  ]);
}

/** Returns one document per bucket: the sends that times in ids do not reveal. */
function hintsOf(notes: readonly StatisticsNote[]): StatisticsHint[] {
  const byBucket = Map.groupBy(notes, ({ at }) => bucketOf(at).getTime());
  return [...byBucket].flatMap(([time, all]) => {
    const young = new Date(time - STATISTICS_YOUNG_MS);
    const late = all.flatMap(({ sends = [] }) => sends.filter((id) => timeOfId(id) < young));
    return late.length === 0 ? [] : { at: new Date(time), sends: [...new Set(late)] };
  });
}

function bucketOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / STATISTICS_BUCKET_MS) * STATISTICS_BUCKET_MS);
}
