import { type Lane, laneOf } from "@posthaste/contracts";
import { LRUCache } from "lru-cache";

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

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** An account that was forgotten starts with a full budget, as one that was quiet does. */
const REMEMBERED_ACCOUNTS = 10_000;

/**
 * Opens the budgets of all accounts (a token bucket each): one that floods single messages travels
 * in the bulk lane beyond its budget, so that the single messages of others do not wait for it.
 */
export function openLaneBudget({ rate, burst }: LaneBudgetOptions): LaneBudget {
  const buckets = new LRUCache<string, Bucket>({ max: REMEMBERED_ACCOUNTS });
  return {
    laneFor(accountId, recipientCount, now) {
      const lane = laneOf(recipientCount);
      if (lane === "bulk" || rate === 0) return lane;
      const bucket = buckets.get(accountId) ?? { tokens: burst, filledAt: now };
      const gained = (now - bucket.filledAt) / 1000 * rate;
      bucket.tokens = Math.min(burst, bucket.tokens + gained);
      bucket.filledAt = now;
      buckets.set(accountId, bucket);
      if (bucket.tokens < recipientCount) return "bulk";
      bucket.tokens -= recipientCount;
      return lane;
    },
  };
}
