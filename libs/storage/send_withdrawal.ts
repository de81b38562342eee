import type { Send } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { bury } from "./_tombstone.ts";

/** Withdrawal of sends whose callers did not learn of an acceptance. */
export interface SendWithdrawals {
  /**
   * Withdraws a send that may be written, now or later, although its caller got an error. A write in progress
   * finds its place taken. It may be repeated. The send's idempotency key stays with its request: a
   * repetition of that takes it over.
   *
   * Returns `false` if it is too late, because the reconciler has examined the send and may have dispatched
   * it.
   */
  withdraw(send: Pick<Send, "_id" | "reconcileAt">): Promise<boolean>;
}

/** Returns the withdrawal of sends. */
export function sendWithdrawals(db: Db): SendWithdrawals {
  return {
    async withdraw({ _id, reconcileAt }) {
      // The reconciler moves `reconcileAt` before it dispatches.
      const untouched = { reconcileAt, settledAt: null };
      // The first time may have met the late write between its search and its own write.
      return await bury(db, _id, untouched) || await bury(db, _id, untouched);
    },
  };
}
