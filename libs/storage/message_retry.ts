import { type Message, parseMessageId, RETRYABLE_STATES } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { senderOf } from "./message_identity.ts";

/** A state from which a person may retry a message. */
export type RetryableState = (typeof RETRYABLE_STATES)[number];

/** Limits and time of a retry. */
export interface RetryOptions {
  now: Date;
  /** Retries only from these states. @default {RETRYABLE_STATES} */
  states?: readonly RetryableState[] | undefined;
}

/** A message cannot be made again, because its variables were removed. */
export class ContentRemovedError extends Error {
  override readonly name = "ContentRemovedError";
  /** When they were removed. */
  readonly since: Date;

  constructor(id: string, since: Date) {
    const day = since.toISOString().slice(0, 10);
    super(`Cannot send "${id}" again: its content was removed on ${day}`);
    this.since = since;
  }
}

/** Retries of messages that have ended or wait. */
export interface MessageRetry {
  /**
   * Sends a message again, now, if it failed, waits or has an unknown outcome. Returns the changed message,
   * or `null` if it does not exist or is in none of the states.
   *
   * @throws {ContentRemovedError} If its variables were removed.
   */
  retry(accountId: string, id: string, options: RetryOptions): Promise<Message | null>;
}

/** The timeline's text for a message that a person has retried. */
export const SENT_AGAIN = "Sent again on request";

const OVERDUE_MS = 3_600_000;

/** How long the reconciler ignores a send while one of its messages is being retried. */
const UNDISTURBED_MS = 60_000;

/** Returns the retry of messages. */
export function messageRetry(db: Db): MessageRetry {
  const { messages, sends } = collectionsOf(db);

  /**
   * Marks a send as not settled. From then on its content stays: only settled sends lose theirs. The count
   * stops a tracker that has read the messages before and settles the send only now. Returns its sender's address.
   */
  async function reopen(
    { accountId, sendId, messageId }: { accountId: string; sendId: string; messageId: string },
    reconcileAt: Date,
  ) {
    const send = { _id: sendId, accountId };
    const reopened = await sends.findOneAndUpdate(
      { ...send, contentRemovedAt: { $exists: false } },
      { $set: { settledAt: null, reconcileAt }, $inc: { reopened: 1 } },
      { projection: { from: 1 } },
    );
    if (reopened !== null) return reopened.from.email;
    const found = await sends.findOne(send, { projection: { contentRemovedAt: 1 } });
    if (found?.contentRemovedAt) throw new ContentRemovedError(messageId, found.contentRemovedAt);
    return undefined;
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
      const ids = { accountId, sendId, messageId: _id };
      const undisturbed = new Date(now.getTime() + UNDISTURBED_MS);
      const { from } = senderOf({ from: await reopen(ids, undisturbed) });
      const message = await messages.findOneAndUpdate(
        retryable,
        [{
          $set: {
            state: "deferred",
            // Overdue: the scheduler takes it at its next search.
            nextAt: new Date(now.getTime() - OVERDUE_MS),
            waitsFor: null,
            retriedAt: now,
            // Otherwise "$" at its beginning would name a field.
            ...(from === undefined ? {} : { from: { $literal: from } }),
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
      await reopen(ids, now);
      return message;
    },
  };
}
