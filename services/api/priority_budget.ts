import { type Priority, priorityOf } from "@posthaste/contracts";
import { openTokenBuckets } from "@posthaste/limits";

/** How much an account may send with transactional priority, per process. */
export interface PriorityBudgetOptions {
  /** Messages per second in the long run; 0 sets no limit. */
  rate: number;
  /** Messages at once after a quiet time. */
  burst: number;
}

/** Decides which priority a send travels with. */
export interface PriorityBudget {
  /**
   * Returns the priority of a send, and takes its messages off the account's budget if it is the
   * transactional one.
   *
   * @param now Milliseconds that never go back.
   */
  priorityFor(accountId: string, recipientCount: number, now: number): Priority;
}

/**
 * Opens the budgets of all accounts: one that floods single messages travels with bulk priority beyond its
 * budget, so that the single messages of others do not wait for it.
 */
export function openPriorityBudget({ rate, burst }: PriorityBudgetOptions): PriorityBudget {
  const buckets = openTokenBuckets({ perMs: rate / 1000, burst });
  return {
    priorityFor(accountId, recipientCount, now) {
      const priority = priorityOf(recipientCount);
      if (priority === "bulk" || rate === 0) return priority;
      return buckets.take(accountId, now, recipientCount) === 0 ? priority : "bulk";
    },
  };
}
