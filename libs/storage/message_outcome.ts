import type { Message, SmtpReply, TimelineEntry } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { writeGroup } from "./_write_group.ts";

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
export type Setback = Outcome & {
  reason: string;
  /** The server may have the mail all the same. */
  ambiguous?: boolean | undefined;
};

/** When a message is tried again: at a time, or when it is the integration's turn (its `_id`). */
export type Deferral = Setback & ({ nextAt: Date } | { parkedFor: string });

/** A worker that is about to end its mail. */
export interface Dot {
  messageId: string;
  /** The attempt that was claimed. */
  attempt: number;
  now: Date;
  /** From now on the claim holds until then: a server may take minutes for its reply. */
  leaseUntil: Date;
}

/**
 * The outcomes of attempts to send. Each is one write and gives whether it holds: `false` if another
 * worker has claimed the message since. Writing the same outcome again holds.
 */
export interface MessageOutcomes {
  /**
   * Notes that the final dot goes out next. Only if this holds may it: a claim whose lease is over is
   * not confirmed.
   */
  confirmDot(dot: Dot): Promise<boolean>;
  /** The server took the mail. */
  markSent(outcome: Outcome): Promise<boolean>;
  /** It is to be tried again. */
  markDeferred(outcome: Deferral): Promise<boolean>;
  /** It will not be sent. */
  markFailed(outcome: Setback): Promise<boolean>;
  /** Nobody knows whether the server took it, and it is not to be tried again. */
  markUnknown(outcome: Setback): Promise<boolean>;
  /**
   * Writes into the timeline that an earlier attempt may have reached the server unnoticed. Until then
   * every claim tells of the doubt.
   */
  noteAmbiguity(outcome: Setback): Promise<void>;
}

type Change = Pick<Message, "state" | "finishedAt" | "nextAt" | "parkedFor" | "reason">;

/** Gives the outcomes of messages. */
export function messageOutcomes(db: Db): MessageOutcomes {
  const { messages } = collectionsOf(db);
  const write = writeGroup(messages);

  function mark(outcome: Outcome & { ambiguous?: boolean | undefined }, change: Change) {
    const { messageId: _id, attempt, reply = null, mimeHash } = outcome;
    return write({
      filter: { _id, attempt, state: "sending" },
      update: {
        $set: {
          ...change,
          leaseUntil: null,
          dotAt: null,
          releasedFor: null,
          reply,
          ...(mimeHash === undefined ? {} : { mimeHash }),
        },
        $push: { timeline: entryOf(outcome, change) },
      },
      // Only the owner of the attempt can have written this: its answer was lost on the way.
      done: { _id, attempt, state: change.state },
    });
  }

  return {
    confirmDot: ({ messageId: _id, attempt, now, leaseUntil }) =>
      write({
        filter: { _id, attempt, state: "sending", leaseUntil: { $gt: now } },
        update: { $set: { dotAt: now, leaseUntil } },
        done: { _id, attempt, state: "sending", dotAt: now, leaseUntil },
      }),
    markSent: (outcome) =>
      mark(outcome, { ...NOTHING_TO_COME, state: "sent", finishedAt: outcome.at, reason: null }),
    markDeferred: (outcome) =>
      mark(outcome, {
        state: "deferred",
        finishedAt: null,
        nextAt: "nextAt" in outcome ? outcome.nextAt : null,
        parkedFor: "parkedFor" in outcome ? outcome.parkedFor : null,
        reason: outcome.reason,
      }),
    markFailed: (outcome) =>
      mark(outcome, {
        ...NOTHING_TO_COME,
        state: "failed",
        finishedAt: outcome.at,
        reason: outcome.reason,
      }),
    markUnknown: (outcome) =>
      mark({ ...outcome, ambiguous: true }, {
        ...NOTHING_TO_COME,
        state: "unknown",
        finishedAt: null,
        reason: outcome.reason,
      }),
    async noteAmbiguity(outcome) {
      const entry = entryOf({ ...outcome, ambiguous: true }, { ...outcome, state: "unknown" });
      await messages.updateOne({ _id: outcome.messageId }, {
        $set: { dotAt: null },
        $push: { timeline: entry },
      });
    },
  };
}

const NOTHING_TO_COME = { nextAt: null, parkedFor: null } as const;

function entryOf(
  { at, attempt, durationMs, reply, ambiguous }: Outcome & { ambiguous?: boolean | undefined },
  { state, reason }: Pick<Message, "state" | "reason">,
): TimelineEntry {
  const detail = reason ?? reply?.response;
  return {
    at,
    type: state,
    attempt,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(detail === undefined ? {} : { detail }),
    ...(ambiguous === true ? { ambiguous } : {}),
  };
}
