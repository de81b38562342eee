import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { UsageDay } from "./usage_day.ts";

const DAY_MS = 24 * 3_600_000;

/** Bytes that were accepted. */
export interface UsageNote {
  accountId: string;
  at: Date;
  bytes: number;
}

/** Counts of accepted bytes, for the days whose contents are kept. */
export interface UsageStore {
  /** Adds to days, in one command. */
  note(notes: readonly UsageNote[]): Promise<void>;
  /** Lists the days of accounts. */
  list(accountIds: readonly string[]): Promise<UsageDay[]>;
  /** Removes an account's days that had ended before a time: their contents are removed. */
  forget(accountId: string, before: Date): Promise<void>;
}

/** Returns the midnight, UTC, before a time. */
export function dayOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}

/** Returns the operations on usage. */
export function usageStore(db: Db): UsageStore {
  const { usage } = collectionsOf(db);
  return {
    async note(notes) {
      if (notes.length === 0) return;
      const operations = notes.map(({ accountId, at, bytes }) => {
        const day = dayOf(at);
        const filter = { _id: `${accountId}/${day.toISOString().slice(0, 10)}` };
        const update = { $inc: { bytes }, $setOnInsert: { accountId, day } };
        return { updateOne: { filter, update, upsert: true } };
      });
      await usage.bulkWrite(operations, { ordered: false });
    },
    list: (accountIds) => usage.find({ accountId: { $in: [...accountIds] } }).toArray(),
    async forget(accountId, before) {
      await usage.deleteMany({ accountId, day: { $lte: new Date(before.getTime() - DAY_MS) } });
    },
  };
}
