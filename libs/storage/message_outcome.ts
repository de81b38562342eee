import type { Message, SmtpReply, TimelineEntry } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** What came of an attempt to send. */
export interface Outcome {
  messageId: string;
  /** The attempt that was claimed. */
  attempt: number;
  at: Date;
  /** What the server said. */
  reply?: SmtpReply | undefined;
  /** Duration of the work, in milliseconds. */
  durationMs?: number | undefined;
  /** SHA-256 of what was sent, in hex; kept when left out. */
  mimeHash?: string | undefined;
}

/** What came of an attempt that did not succeed, with a sentence that says why. */
export type Setback = Outcome & { reason: string };

/**
 * The outcomes of attempts to send. Each is one write and gives whether it holds: `false` if another
 * worker has claimed the message since. Writing the same outcome again holds.
 */
export interface MessageOutcomes {
  /** The server took the mail. */
  markSent(outcome: Outcome): Promise<boolean>;
  /** It is to be tried again at `nextAt`. */
  markDeferred(outcome: Setback & { nextAt: Date }): Promise<boolean>;
  /** It will not be sent. */
  markFailed(outcome: Setback): Promise<boolean>;
  /** Nobody knows whether the server took it, and it is not to be tried again. */
  markUnknown(outcome: Setback): Promise<boolean>;
}

/** Gives the outcomes of messages. */
export function messageOutcomes(db: Db): MessageOutcomes {
  const { messages } = collectionsOf(db);

  async function mark(
    outcome: Outcome,
    change: Pick<Message, "state" | "finishedAt" | "nextAt" | "reason">,
  ): Promise<boolean> {
    const { messageId: _id, attempt, reply = null, mimeHash } = outcome;
    const result = await messages.updateOne({ _id, attempt, state: "sending" }, {
      $set: {
        ...change,
        leaseUntil: null,
        reply,
        ...(mimeHash === undefined ? {} : { mimeHash }),
      },
      $push: { timeline: entryOf(outcome, change) },
    });
    if (result.matchedCount === 1) return true;
    // Only the owner of the attempt can have written this: its answer was lost on the way.
    const { state } = change;
    return await messages.countDocuments({ _id, attempt, state }, { limit: 1 }) === 1;
  }

  return {
    markSent: (outcome) =>
      mark(outcome, { state: "sent", finishedAt: outcome.at, nextAt: null, reason: null }),
    markDeferred: (outcome) =>
      mark(outcome, {
        state: "deferred",
        finishedAt: null,
        nextAt: outcome.nextAt,
        reason: outcome.reason,
      }),
    markFailed: (outcome) =>
      mark(outcome, {
        state: "failed",
        finishedAt: outcome.at,
        nextAt: null,
        reason: outcome.reason,
      }),
    markUnknown: (outcome) =>
      mark(outcome, { state: "unknown", finishedAt: null, nextAt: null, reason: outcome.reason }),
  };
}

function entryOf(
  { at, attempt, durationMs, reply }: Outcome,
  { state, reason }: Pick<Message, "state" | "reason">,
): TimelineEntry {
  const detail = reason ?? reply?.response;
  return {
    at,
    type: state,
    attempt,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(detail === undefined ? {} : { detail }),
  };
}
