import { type Priority, priorityOf } from "@posthaste/contracts";
import { openTokenBuckets } from "@posthaste/limits";

/** How much an account may send with transactional priority, per process. */
export interface PriorityBudgetOptions {
  /** Messages per second in the long run; 0 sets no limit. */
  rate: number;
  /** Maximum burst of messages after an idle period. */
  burst: number;
}

/** Decides the priority of a send. */
export interface PriorityBudget {
  /**
   * Returns the priority of a send. If it is transactional, subtracts the send's messages from the
   * account's budget.
   *
   * @param now From a monotonic clock, in milliseconds.
   */
  priorityFor(accountId: string, recipientCount: number, now: number): Priority;
}

/**
 * Opens the budgets of all accounts. An account that floods single messages gets bulk priority
 * beyond its budget, so that the single messages of others do not wait for them.
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
