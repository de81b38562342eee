import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";

/** Work of which one process at most is to have charge. */
export interface LeaderLeaseClaim {
  /** Names the work: one for all processes. */
  name: string;
  /** Names the process. */
  holder: string;
  /** How long it is its own, by the database's clock, unless it is taken again. */
  forMs: number;
}

/** Who has charge of work that gains nothing by being done by several processes. */
export interface LeaderLeaseStore {
  /** Takes charge, or keeps it. Gives `false` while another process has it. */
  take(claim: LeaderLeaseClaim): Promise<boolean>;
  /** Releases it; does nothing if another holds it. */
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
        // Another was the first to take it.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async leave({ name: _id, holder }) {
      await duties.updateOne({ _id, holder }, { $set: { until: new Date(0) } });
    },
  };
}
