import type { Send } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { bury } from "./_tombstone.ts";

/** Taking back sends that nobody was told are accepted. */
export interface SendWithdrawals {
  /**
   * Takes back a send that may be written although its caller was told otherwise, or may still be:
   * a write that is under way finds its place taken. It may be repeated. The idempotency key that it came
   * with stays with its request: a repetition of that takes it over.
   *
   * Returns `false` if it is too late, for the reconciler has looked at the send and may have dispatched
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
