import type { Db } from "mongodb";
import { acceptedWithin } from "./_accepted_within.ts";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { messageIdRange } from "./_message_document.ts";
import { registerRange } from "./delivery_ledger.ts";

/** How long registers are kept at least after the end of their send, in milliseconds: 7 days. */
export const REGISTERS_KEPT_MS = 7 * 24 * 3_600_000;

/** Selects sends that are no longer kept. */
export interface OldSends {
  /** Those accepted before this. */
  before: Date;
  /** Maximum number per call. */
  limit: number;
  /** `last` of the previous batch; left out for the first batch. */
  after?: string | undefined;
  now: Date;
}

/** A batch of sends that was removed. */
export interface RemovedSends {
  removed: number;
  /** Where the next batch continues; null if there are no more. */
  last: string | null;
}

/** Removal of sends after their retention. */
export interface LedgerRetention {
  /**
   * Removes old sends that were settled at least a week ago, with their messages, shard by shard, the oldest first.
   * Others stay. It may be interrupted: a later call removes what is left of a send.
   */
  removeOldSends(old: OldSends): Promise<RemovedSends>;
}

/** Returns the removal of old sends. */
export function ledgerRetention(db: Db): LedgerRetention {
  const { messages, registers, sends } = collectionsOf(db);
  return {
    async removeOldSends({ before, limit, after = "", now }) {
      const settledAt = { $lt: new Date(now.getTime() - REGISTERS_KEPT_MS) };
      // Ids contain the time, so this needs no index of its own.
      const old = acceptedWithin<StoredSend>("snd", { until: before, after }, {
        // A message may have been sent long after its acceptance, and an event of it may still exist.
        settledAt,
        // A scheduled send is as old as its start: its events may still exist.
        notBefore: { $not: { $gte: before } },
      });
      const ids = await sends.find(old).sort({ _id: 1 })
        .limit(limit).project<{ _id: string }>({ _id: 1 }).map(({ _id }) => _id).toArray();
      if (ids.length === 0) return { removed: 0, last: null };
      // From here on, retries of its messages are refused: a message without its document would count as
      // never tried.
      const settled = { _id: { $in: ids }, settledAt };
      await sends.updateMany({ ...settled, contentRemovedAt: { $exists: false } }, {
        $set: { contentRemovedAt: now },
      });
      const closed = { ...settled, contentRemovedAt: { $exists: true } };
      const gone = await sends.find(closed).project<{ _id: string }>({ _id: 1 }).toArray();
      if (gone.length > 0) {
        const operations = gone.map(({ _id }) => ({
          deleteMany: { filter: { _id: messageIdRange(_id) } },
        }));
        await messages.bulkWrite(operations, { ordered: false });
        await registers.bulkWrite(
          gone.map(({ _id }) => ({
            deleteMany: { filter: { _id: registerRange(messageIdRange(_id)) } },
          })),
          { ordered: false },
        );
        await sends.deleteMany({ ...closed, _id: { $in: gone.map(({ _id }) => _id) } });
      }
      const last = ids.length < limit ? null : ids.at(-1) ?? null;
      return { removed: gone.length, last };
    },
  };
}
