import type { Message, MessageState } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** States out of which a person may have a message sent again. */
export const RETRYABLE_STATES = ["failed", "unknown", "deferred"] as const satisfies MessageState[];

/** Bringing messages back that had ended or wait. */
export interface MessageRetry {
  /**
   * Has a message sent again, now: one that failed, whose outcome is unknown, or that waits. Gives the
   * message as it is then, `null` if it is not there or in none of {@linkcode RETRYABLE_STATES}.
   */
  retryMessage(accountId: string, id: string, now: Date): Promise<Message | null>;
}

const OVERDUE_MS = 3_600_000;

/** Gives the retry of messages. */
export function messageRetry(db: Db): MessageRetry {
  const { messages, sends } = collectionsOf(db);
  return {
    async retryMessage(accountId, _id, now) {
      const message = await messages.findOneAndUpdate(
        { _id, accountId, state: { $in: [...RETRYABLE_STATES] } },
        [{
          $set: {
            state: "deferred",
            // Overdue: the sweeper takes it when it looks next.
            nextAt: new Date(now.getTime() - OVERDUE_MS),
            parkedFor: null,
            finishedAt: null,
            timeline: {
              $concatArrays: ["$timeline", [{
                at: now,
                type: "deferred",
                attempt: "$attempt",
                detail: "Sent again on request",
              }]],
            },
          },
        }],
        { returnDocument: "after" },
      );
      if (message === null) return null;
      await sends.updateOne({ _id: message.sendId, accountId }, {
        $set: { settledAt: null, sweepAt: now },
      });
      return message;
    },
  };
}
