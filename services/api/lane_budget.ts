import { type Lane, laneOf } from "@posthaste/contracts";
import { openTokenBuckets } from "@posthaste/limits";

/** How much an account may send in the transactional lane, per process. */
export interface LaneBudgetOptions {
  /** Messages per second in the long run; 0 sets no limit. */
  rate: number;
  /** Messages at once after a quiet time. */
  burst: number;
}

/** Tells which lane a send travels in. */
export interface LaneBudget {
  /**
   * Tells the lane of a send, and takes its messages off the account's budget if it is the
   * transactional one.
   *
   * @param now Milliseconds that never go back.
   */
  laneFor(accountId: string, recipientCount: number, now: number): Lane;
}

/**
 * Opens the budgets of all accounts: one that floods single messages travels in the bulk lane beyond its
 * budget, so that the single messages of others do not wait for it.
 */
export function openLaneBudget({ rate, burst }: LaneBudgetOptions): LaneBudget {
  const buckets = openTokenBuckets({ perMs: rate / 1000, burst });
  return {
    laneFor(accountId, recipientCount, now) {
      const lane = laneOf(recipientCount);
      if (lane === "bulk" || rate === 0) return lane;
      return buckets.take(accountId, now, recipientCount) === 0 ? lane : "bulk";
    },
  };
}
