import type { Send } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { isDuplicateKey } from "./_duplicate_key.ts";

/** Taking back sends that nobody was told are accepted. */
export interface SendWithdrawals {
  /**
   * Takes back a send that may be written although its caller was told otherwise, or may still be:
   * a write that is under way finds its place taken. It may be repeated.
   *
   * Gives `false` if it is too late, for the sweeper has looked at the send and may have dispatched
   * it.
   */
  withdrawSend(send: Pick<Send, "_id" | "sweepAt">): Promise<boolean>;
}

/** What stands in the place of a withdrawn send, for a day. */
interface Tombstone {
  _id: string;
  withdrawnAt: Date;
  /** Keeps it out of the sweeper's index. */
  settledAt: Date;
}

/** Gives the withdrawal of sends. */
export function sendWithdrawals(db: Db): SendWithdrawals {
  const tombstones = db.collection<Tombstone>("sends");

  async function bury({ _id, sweepAt }: Pick<Send, "_id" | "sweepAt">): Promise<boolean> {
    const now = new Date();
    // The sweeper moves `sweepAt` before it dispatches.
    const untouched = { sweepAt, settledAt: null };
    try {
      await tombstones.replaceOne(
        { _id, $or: [untouched, { withdrawnAt: { $exists: true } }] } as object,
        { withdrawnAt: now, settledAt: now },
        { upsert: true },
      );
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    // The first time may have met the late write between its search and its own write.
    withdrawSend: async (send) => await bury(send) || await bury(send),
  };
}
