import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";

/** A claim for work that at most one process is to do. */
export interface LeaderLeaseClaim {
  /** Name of the work, the same for all processes. */
  name: string;
  /** Name of the process. */
  holder: string;
  /** How long the lease lasts, by the database's clock, unless it is renewed. */
  forMs: number;
}

/** Leases for work that several processes need not do at once. */
export interface LeaderLeaseStore {
  /** Takes or renews a lease. Returns `false` while another process holds it. */
  take(claim: LeaderLeaseClaim): Promise<boolean>;
  /** Releases a lease; does nothing if another process holds it. */
  leave(claim: Pick<LeaderLeaseClaim, "name" | "holder">): Promise<void>;
}

/** Returns the operations on leader leases. */
export function leaderLeaseStore(db: Db): LeaderLeaseStore {
  const { duties } = collectionsOf(db);
  return {
    async take({ name: _id, holder, forMs }) {
      const mine = { $eq: ["$holder", holder] };
      const free = { $lt: ["$until", "$$NOW"] };
      const taken = [{ $set: { holder, until: { $add: ["$$NOW", forMs] } } }];
      const kept = await duties.updateOne({ _id, $expr: { $or: [mine, free] } }, taken);
      if (kept.matchedCount > 0) return true;
      if (await duties.countDocuments({ _id }, { limit: 1 }) > 0) return false;
      try {
        await duties.updateOne({ _id, holder }, taken, { upsert: true });
        return true;
      } catch (error) {
        // Another process was the first to take it.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async leave({ name: _id, holder }) {
      await duties.updateOne({ _id, holder }, { $set: { until: new Date(0) } });
    },
  };
}
