import { CLAIMABLE_STATES, type Message, type MessageState } from "@posthaste/contracts";
import type { Collection, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { insertingFirst } from "./_first_attempt.ts";
import { UNTOUCHED } from "./_message_document.ts";

/** What a worker knows of a message that it wants to send. */
export interface Claim {
  messageId: string;
  sendId: string;
  accountId: string;
  index: number;
  email: string;
  acceptedAt: Date;
  /** How often the message was claimed before, by what the worker was told. */
  attempt: number;
  /** How long the claim holds, in milliseconds. */
  leaseMs: number;
  now: Date;
}

/** Whether a worker may act on a message. */
export type Claimed =
  | {
    claimed: true;
    /** The fence of the outcome, which this attempt alone may write. */
    attempt: number;
    /** SHA-256 of what an earlier attempt sent. */
    mimeHash: string | null;
    /**
     * Whether an earlier worker was lost when the final dot may have been on its way: the server may
     * have the mail already.
     */
    ambiguous: boolean;
  }
  | {
    claimed: false;
    /** `undefined` if the message has no document, so that an attempt after the first is unheard of. */
    state: MessageState | undefined;
    attempt: number;
  };

/** The right to act on a message. */
export interface MessageClaims {
  /**
   * Claims a message: one worker at most gets each attempt. A claim that was given holds for
   * `leaseMs`; after that another worker may take the next attempt.
   */
  claimMessage(claim: Claim): Promise<Claimed>;
}

/** Gives the claim of messages. */
export function messageClaims(db: Db): MessageClaims {
  const { messages } = collectionsOf(db);
  return {
    async claimMessage(claim) {
      const before = await insertingFirst(
        claim.attempt,
        (upsert) => compareAndSet(messages, claim, upsert),
      );
      if (before !== null) {
        const { mimeHash, state, dotAt } = before;
        const ambiguous = state === "sending" && dotAt instanceof Date;
        return { claimed: true, attempt: claim.attempt + 1, mimeHash, ambiguous };
      }
      const { messageId: _id, accountId } = claim;
      const found = await messages.findOne({ _id, accountId }, {
        projection: { state: 1, attempt: 1 },
      });
      return { claimed: false, state: found?.state, attempt: found?.attempt ?? 0 };
    },
  };
}

// What a claim sets cannot be given for an insert as well.
const { leaseUntil: _l, nextAt: _n, parkedFor: _p, ...onInsert } = UNTOUCHED;

type Before = Pick<Message, "mimeHash" | "state" | "dotAt">;

async function compareAndSet(
  messages: Collection<Message>,
  claim: Claim,
  upsert: boolean,
): Promise<Before | null> {
  const { messageId, accountId, attempt, leaseMs, now } = claim;
  const { sendId, index, email, acceptedAt } = claim;
  const result = await messages.findOneAndUpdate({
    _id: messageId,
    accountId,
    attempt,
    $or: [
      { state: { $in: [...CLAIMABLE_STATES] } },
      { state: "sending", leaseUntil: { $lt: now } },
    ],
  }, {
    $set: {
      state: "sending",
      attempt: attempt + 1,
      leaseUntil: new Date(now.getTime() + leaseMs),
      // `dotAt` stays until the doubt is in the timeline: this worker may be lost before it is.
      nextAt: null,
      parkedFor: null,
    },
    $push: { timeline: { at: now, type: "sending", attempt: attempt + 1 } },
    $setOnInsert: {
      sendId,
      index,
      email,
      acceptedAt,
      ...onInsert,
    },
  }, {
    upsert,
    returnDocument: "before",
    projection: { state: 1, mimeHash: 1, dotAt: 1 },
    includeResultMetadata: true,
  });
  if (result.lastErrorObject?.["upserted"] !== undefined) {
    return { state: "queued", mimeHash: null, dotAt: null };
  }
  return result.value;
}
