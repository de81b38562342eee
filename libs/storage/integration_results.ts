import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { STATISTICS_BUCKET_MS } from "./statistics_bucket.ts";
import type { EndedAttempt, FailedAttempt } from "./ended_attempt.ts";

/** Results of an integration that became known together. */
export interface ResultsNote {
  accountId: string;
  /** Number of the integration. */
  id: number;
  lastSent?: EndedAttempt;
  lastFailed?: FailedAttempt;
  /** Time of the first failure after `lastSent`, or of the first one. */
  failedFrom?: Date;
}

/** The results of an integration's mail. */
export interface IntegrationResult {
  lastSent: EndedAttempt | null;
  lastFailed: FailedAttempt | null;
  /** Since when every attempt has failed; null if the last one succeeded. */
  failingSince: Date | null;
  /** Attempts within {@linkcode RESULTS_WINDOW_MS} that have ended, and how many of them succeeded. */
  attempts: number;
  sent: number;
}

/** The period of a success rate, in milliseconds: 24 hours. */
const RESULTS_WINDOW_MS = 24 * 3_600_000;

/** Results of integrations: the latest, and a success rate. */
export interface IntegrationResultStore {
  /** Notes results, in one command. Idempotent, and in any order. */
  noteResults(notes: readonly ResultsNote[]): Promise<void>;
  /**
   * Returns the results of an account's integrations by their numbers, without integrations that have none.
   */
  listResults(accountId: string, now: Date): Promise<Map<number, IntegrationResult>>;
  /** Returns the results of one integration; `undefined` if it has none. */
  findResult(accountId: string, id: number, now: Date): Promise<IntegrationResult | undefined>;
}

/** Returns the operations on results of integrations. */
export function integrationResults(db: Db): IntegrationResultStore {
  const { integrationResults: results, statistics } = collectionsOf(db);

  /** Reads the results of all integrations of an account, or of one. */
  async function read(accountId: string, now: Date, id?: number) {
    const local = { readConcern: { level: "local" } } as const;
    const from = new Date(now.getTime() - RESULTS_WINDOW_MS - STATISTICS_BUCKET_MS);
    const all = { $gte: `${accountId}/`, $lt: `${accountId}0` };
    const counted = id === undefined ? "integrations" : `integrations.${id}`;
    const [latest, buckets] = await Promise.all([
      results.find({ accountId, _id: id === undefined ? all : `${accountId}/${id}` }, local)
        .toArray(),
      statistics.find({
        accountId,
        _id: {
          $gte: `${accountId}/${from.toISOString()}`,
          $lte: `${accountId}/${now.toISOString()}`,
        },
      }, local).project<{ integrations?: Record<string, Attempts> }>({ [counted]: 1 }).toArray(),
    ]);
    return new Map(latest.map(({ _id, lastSent, lastFailed, failingSince }) => {
      const id = Number(_id.slice(accountId.length + 1));
      const counts = buckets.map(({ integrations }) => integrations?.[id] ?? {});
      const sent = sum(counts.map(({ sent }) => sent));
      const others = sum(
        counts.flatMap(({ failed, deferred, unknown }) => [failed, deferred, unknown]),
      );
      return [id, {
        lastSent: lastSent ?? null,
        lastFailed: lastFailed ?? null,
        ...{ failingSince, sent, attempts: sent + others },
      }] as const;
    }));
  }

  return {
    listResults: (accountId, now) => read(accountId, now),
    findResult: async (accountId, id, now) => (await read(accountId, now, id)).get(id),
    async noteResults(notes) {
      if (notes.length === 0) return;
      // Shown to people, and noted again with the next mail: it waits for no disk and no majority.
      await results.bulkWrite(
        notes.map((note) => ({
          updateOne: {
            filter: { _id: `${note.accountId}/${note.id}` },
            update: changeOf(note),
            upsert: true,
          },
        })),
        { ordered: false, writeConcern: { w: 1, journal: false } },
      );
    },
  };
}

type Attempts = Partial<Record<"sent" | "failed" | "deferred" | "unknown", number>>;

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}

function changeOf({ accountId, lastSent, lastFailed, failedFrom }: ResultsNote) {
  // The greatest is the latest: documents are compared by their first field.
  const latest = (field: string, { at, ...rest }: EndedAttempt) => ({
    [field]: { $max: [`$${field}`, { at, ...literal(rest) }] },
  });
  const started = ["$failingSince", failedFrom ?? null, lastFailed?.at ?? null];
  const isLater = { $gt: ["$$this", { $ifNull: ["$lastSent.at", new Date(0)] }] };
  return [
    {
      $set: {
        accountId,
        ...(lastSent ? latest("lastSent", lastSent) : {}),
        ...(lastFailed ? latest("lastFailed", lastFailed) : {}),
      },
    },
    { $set: { failingSince: { $min: { $filter: { input: started, cond: isLater } } } } },
  ];
}

/** Protects texts that begin with a dollar sign: the database would read them as expressions. */
function literal(texts: Record<string, string>) {
  return Object.fromEntries(Object.entries(texts).map(([name, $literal]) => [name, { $literal }]));
}
