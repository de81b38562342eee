import { type Message, parseMessageId, RETRYABLE_STATES } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** A state out of which a person may have a message sent again. */
export type RetryableState = (typeof RETRYABLE_STATES)[number];

/** What may be sent again, and when that is. */
export interface RetryOptions {
  now: Date;
  /** Only out of these. @default {RETRYABLE_STATES} */
  states?: readonly RetryableState[] | undefined;
}

/** A message cannot be made again: what it was filled with is not kept any more. */
export class ContentRemovedError extends Error {
  override readonly name = "ContentRemovedError";
  /** When it was removed. */
  readonly since: Date;

  constructor(id: string, since: Date) {
    const day = since.toISOString().slice(0, 10);
    super(`Cannot send "${id}" again: its content was removed on ${day}`);
    this.since = since;
  }
}

/** Bringing messages back that had ended or wait. */
export interface MessageRetry {
  /**
   * Sends a message again, now: one that failed, whose outcome is unknown, or that waits. Returns the changed
   * message, or `null` if it does not exist or is in none of the states.
   *
   * @throws {ContentRemovedError} If its variables are not kept any more.
   */
  retry(accountId: string, id: string, options: RetryOptions): Promise<Message | null>;
}

/** What the timeline says of a message that a person has sent again. */
export const SENT_AGAIN = "Sent again on request";

const OVERDUE_MS = 3_600_000;

/** The reconciler leaves a send alone while one of its messages is brought back. */
const UNDISTURBED_MS = 60_000;

/** Returns the retry of messages. */
export function messageRetry(db: Db): MessageRetry {
  const { messages, sends } = collectionsOf(db);

  /** From then on its content stays: it is removed from settled sends only. */
  async function reopen(accountId: string, messageId: string, sendId: string, reconcileAt: Date) {
    const send = { _id: sendId, accountId };
    const { matchedCount } = await sends.updateOne(
      { ...send, contentRemovedAt: { $exists: false } },
      { $set: { settledAt: null, reconcileAt } },
    );
    if (matchedCount > 0) return;
    const found = await sends.findOne(send, { projection: { contentRemovedAt: 1 } });
    if (found?.contentRemovedAt) throw new ContentRemovedError(messageId, found.contentRemovedAt);
  }

  return {
    async retry(accountId, _id, { now, states = RETRYABLE_STATES }) {
      const sendId = parseMessageId(_id)?.sendId;
      const retryable = {
        ...{ _id, accountId, state: { $in: [...states] } },
        forgottenAt: { $exists: false },
      };
      if (sendId === undefined) return null;
      if (await messages.countDocuments(retryable, { limit: 1 }) === 0) return null;
      await reopen(accountId, _id, sendId, new Date(now.getTime() + UNDISTURBED_MS));
      const message = await messages.findOneAndUpdate(
        retryable,
        [{
          $set: {
            state: "deferred",
            // Overdue: the reconciler takes it when it looks next.
            nextAt: new Date(now.getTime() - OVERDUE_MS),
            waitsFor: null,
            finishedAt: null,
            timeline: {
              $concatArrays: ["$timeline", [{
                at: now,
                type: "deferred",
                attempt: "$attempt",
                detail: SENT_AGAIN,
              }]],
            },
          },
        }],
        { returnDocument: "after" },
      );
      await reopen(accountId, _id, sendId, now);
      return message;
    },
  };
}
