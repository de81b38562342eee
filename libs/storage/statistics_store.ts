import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** What is counted, each in messages. */
export const COUNTED = ["accepted", "sent", "failed", "deferred", "unknown"] as const;

/** What is counted. */
export type Counted = (typeof COUNTED)[number];

/** Width of a bucket, in milliseconds: 5 minutes. */
export const STATISTICS_BUCKET_MS = 300_000;

/** How long buckets are kept, in milliseconds: 90 days. */
export const STATISTICS_KEPT_MS = 90 * 24 * 3_600_000;

/** What is counted of each integration, in attempts. */
export const COUNTED_ATTEMPTS = ["sent", "failed", "deferred", "unknown"] as const;

/** Attempts of integrations, by their numbers. */
export type AttemptCounts = Record<
  string,
  Partial<Record<(typeof COUNTED_ATTEMPTS)[number], number>>
>;

/** What happened to an account's mail within a bucket's time. */
export type StatisticsBucket = Record<Counted, number> & {
  /** `<account>/<time>` */
  _id: string;
  accountId: string;
  /** When it begins. */
  at: Date;
  integrations?: AttemptCounts;
};

/** What is added to a bucket. */
export type StatisticsNote =
  & Pick<StatisticsBucket, "accountId" | "at" | "integrations">
  & Partial<Record<Counted, number>>;

/**
 * Counts of what happened, for charts. They are no ledger: what was told twice counts twice, and what
 * the broker lost is missing.
 */
export interface StatisticsStore {
  /** Adds to buckets, in one command; times are cut to the beginning of their bucket. */
  noteStatistics(notes: StatisticsNote[]): Promise<void>;
  /** Lists an account's buckets that begin within a time, oldest first; empty ones are left out. */
  listStatistics(accountId: string, time: { from: Date; until: Date }): Promise<StatisticsBucket[]>;
}

/** Gives the operations on statistics. */
export function statisticsStore(db: Db): StatisticsStore {
  const { statistics } = collectionsOf(db);
  return {
    async noteStatistics(notes) {
      if (notes.length === 0) return;
      const operations = notes.map(({ accountId, at: when, integrations, ...counts }) => {
        const at = bucketOf(when);
        const $inc = {
          ...Object.fromEntries(COUNTED.map((name) => [name, counts[name] ?? 0])),
          ...attemptsOf(integrations),
        };
        const update = { $inc, $setOnInsert: { accountId, at } };
        return { updateOne: { filter: { _id: idOf(accountId, at) }, update, upsert: true } };
      });
      // Nobody relies on them: no disk and no majority is waited for.
      await statistics.bulkWrite(operations, {
        ordered: false,
        writeConcern: { w: 1, journal: false },
      });
    },
    listStatistics: (accountId, { from, until }) =>
      statistics.find({
        accountId,
        _id: { $gte: idOf(accountId, bucketOf(from)), $lt: idOf(accountId, until) },
      }, { readConcern: { level: "local" } }).sort({ _id: 1 }).toArray(),
  };
}

function attemptsOf(integrations: AttemptCounts = {}): Record<string, number> {
  return Object.fromEntries(
    Object.entries(integrations).flatMap(([id, counts]) =>
      Object.entries(counts).map(([name, count]) => [`integrations.${id}.${name}`, count])
    ),
  );
}

function bucketOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / STATISTICS_BUCKET_MS) * STATISTICS_BUCKET_MS);
}

function idOf(accountId: string, at: Date): string {
  return `${accountId}/${at.toISOString()}`;
}
