import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";

/** The lease of the tracker that schedules for all. */
export const SCHEDULER_LEASE = "scheduler";

/** A claim for work that at most one process is to do. */
export interface LeaderLeaseClaim {
  /** Name of the work, the same for all processes. */
  name: string;
  /** Name of the process. */
  holder: string;
  /** How long the lease lasts, by the database's clock, unless it is renewed. */
  forMs: number;
  /** How often the lease was taken or renewed, as far as the process knows. A current ledger knows at least these. */
  knownRenewals: number;
}

/**
 * Whether a process has a lease now. `outdated`: nobody gets it, because the ledger lacks renewals that are known,
 * and therefore was restored.
 */
export type LeaderLeaseAnswer =
  | { is: "taken"; renewals: number }
  | { is: "held" }
  | { is: "outdated" };

/** Leases for work that several processes need not do together. */
export interface LeaderLeaseStore {
  /** Takes or renews a lease, and counts that. */
  take(claim: LeaderLeaseClaim): Promise<LeaderLeaseAnswer>;
  /** Releases a lease; does nothing if another process holds it. */
  leave(claim: Pick<LeaderLeaseClaim, "name" | "holder">): Promise<void>;
  /** Returns how often a lease was taken or renewed, 0 if never. */
  renewals(name: string): Promise<number>;
}

/** Returns the operations on leader leases. */
export function leaderLeaseStore(db: Db): LeaderLeaseStore {
  const { duties } = collectionsOf(db);

  async function renewals(name: string): Promise<number> {
    return (await duties.findOne({ _id: name }))?.renewals ?? 0;
  }

  return {
    renewals,
    async take({ name: _id, holder, forMs, knownRenewals }) {
      const mine = { $eq: ["$holder", holder] };
      const free = { $lt: ["$until", "$$NOW"] };
      const counted = { $ifNull: ["$renewals", 0] };
      const isCurrent = { $gte: [counted, knownRenewals] };
      const taken = [{
        $set: { holder, until: { $add: ["$$NOW", forMs] }, renewals: { $add: [counted, 1] } },
      }];
      const kept = await duties.findOneAndUpdate(
        { _id, $expr: { $and: [{ $or: [mine, free] }, isCurrent] } },
        taken,
        { returnDocument: "after" },
      );
      if (kept !== null) return { is: "taken", renewals: kept.renewals ?? 1 };
      if (await renewals(_id) < knownRenewals) return { is: "outdated" };
      if (await duties.countDocuments({ _id }, { limit: 1 }) > 0) return { is: "held" };
      try {
        await duties.updateOne({ _id, holder }, taken, { upsert: true });
        return { is: "taken", renewals: 1 };
      } catch (error) {
        // Another process was the first to take it.
        if (isDuplicateKey(error)) return { is: "held" };
        throw error;
      }
    },
    async leave({ name: _id, holder }) {
      await duties.updateOne({ _id, holder }, { $set: { until: new Date(0) } });
    },
  };
}
